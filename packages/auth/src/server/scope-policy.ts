import { checkOptionNames, isRecord, isThenable } from "@tenon/base";
import type { Denial, Operation } from "@tenon/http/server";
import { ErrorCode, RpcError } from "@tenon/jsonrpc2/core";

import { InsufficientScope } from "./insufficient-scope.ts";
import {
  canonicalOf,
  checkedScopes,
  closureOf,
  rulesByName,
  rulesByUri,
  scopesOf,
  type FindRule,
  type ScopeRule,
} from "./scope-rules.ts";

/** Arguments and params as received: unchecked. */
type Values = Readonly<Record<string, unknown>>;

/** Options of {@link scopePolicy}. */
export interface ScopePolicyOptions {
  /**
   * The scopes for every tool, prompt and resource without an entry, and for every method that has
   * no entry in `methods` and does more than to list or to keep up the connection. `"deny"` rejects
   * all of them.
   */
  readonly default: readonly string[] | "deny";
  /**
   * By method. The entry of the tool, prompt or resource counts as well. A function gets the
   * params.
   */
  readonly methods?: Readonly<Record<string, ScopeRule<Values>>> | undefined;
  /** By the name of the tool. A function gets the arguments. */
  readonly tools?: Readonly<Record<string, ScopeRule<Values>>> | undefined;
  /** By the name of the prompt. A function gets the arguments. */
  readonly prompts?: Readonly<Record<string, ScopeRule<Values>>> | undefined;
  /**
   * By URI, or by a prefix that ends in `*`; the longest prefix counts. Spelling does not matter:
   * URIs are compared in canonical form, which a function gets, too. The entry of a URI also counts
   * with a query or a fragment, with empty segments and with a `/` at the end, besides the entry of
   * its prefix. A URI with an encoded slash or backslash, or with dot
   * segments, has no entry; transports and servers resolve dot segments before.
   */
  readonly resources?: Readonly<Record<string, ScopeRule<string>>> | undefined;
  /**
   * The scopes that a scope contains: `{ admin: ["read", "write"] }`. Applied repeatedly. @source
   *
   */
  readonly implies?: Readonly<Record<string, readonly string[]>> | undefined;
  /**
   * Whether {@link ScopePolicy.middleware} removes tools and prompts from lists if their reader
   * lacks the scopes. Entries that are functions stay. Default: `false`, so that clients can ask
   * for the scopes.
   */
  readonly hideWithoutScope?: boolean | undefined;
}

/** The sender of a message, as far as a policy looks at it. */
export interface PolicySender {
  readonly scopes?: readonly string[] | undefined;
}

/** A request as middleware of a server receives it. */
export interface PolicedRequest extends Operation {
  readonly auth?: PolicySender | undefined;
}

/** Which scopes each operation needs. */
export interface ScopePolicy {
  /** Whether a sender has all of these scopes, by itself or through others that contain them. */
  holds(auth: PolicySender, scopes: readonly string[]): boolean;
  /**
   * Returns all scopes that a message requires; `undefined` if the policy rejects it from every
   * sender.
   */
  required(message: Operation): readonly string[] | undefined;
  /**
   * Decides over one message, as `authorize` of a handler does. A sender that is not known is
   * refused.
   */
  authorize(message: Operation, sender: { readonly auth: PolicySender | undefined }): Denial | undefined;
  /**
   * The same decision as receiving middleware, for transports other than HTTP and for calls in the
   * process: `server.addReceivingMiddleware(policy.middleware)`. It throws
   * {@link InsufficientScope}.
   */
  readonly middleware: <R extends PolicedRequest>(next: (request: R) => unknown) => (request: R) => unknown;
}

/** Methods that only list what exists, or keep up the connection. */
const harmless: ReadonlySet<string> = new Set([
  "initialize",
  "ping",
  "server/discover",
  "logging/setLevel",
  "tools/list",
  "prompts/list",
  "resources/list",
  "resources/templates/list",
]);

/**
 * Creates a policy: which scopes each tool, prompt, resource and method needs. Pass it to
 * `createGuard`.
 *
 * @example
 * scopePolicy({
 *   default: "deny",
 *   tools: { list_notes: ["notes:read"], add_note: ["notes:write"] },
 * });
 *
 * @throws `TypeError` for options that do not exist, for an entry that is neither an array of
 *   scopes nor a function, and without `default`.
 * @source R-728…R-730
 */
export function scopePolicy(options: ScopePolicyOptions): ScopePolicy {
  checkOptionNames(
    "scopePolicy",
    options,
    "default methods tools prompts resources implies hideWithoutScope",
  );
  if (typeof options.default === "string" && options.default !== "deny") {
    throw new TypeError(
      `default of scopePolicy must be "deny" or an array of scopes; got ${JSON.stringify(options.default)}. [] requires none.`,
    );
  }
  const fallback =
    options.default === "deny" ? undefined : checkedScopes(options.default, "default of scopePolicy");
  const methods = rulesByName(options.methods, "methods");
  const tools = rulesByName(options.tools, "tools");
  const prompts = rulesByName(options.prompts, "prompts");
  const resources = rulesByUri(options.resources, "resources");
  const implied = new Map(
    Object.entries(options.implies ?? {}).map(
      ([scope, contained]) => [scope, checkedScopes(contained, `implies.${scope} of scopePolicy`)] as const,
    ),
  );
  const closures = new WeakMap<PolicySender, ReadonlySet<string>>();

  function scopesFor<A>(find: FindRule<A>, name: unknown, asked: A): readonly string[] | undefined {
    const rule = typeof name === "string" ? find(name) : undefined;
    return rule === undefined ? fallback : scopesOf(rule, asked, String(name));
  }

  /** The scopes for each tool, prompt and resource that a message names. */
  function scopesOfTargets(method: string, params: Values): readonly (readonly string[] | undefined)[] {
    const named = (find: FindRule<Values>, { name, arguments: given }: Values) => [
      scopesFor(find, name, isRecord(given) ? given : {}),
    ];
    const resource = (uri: unknown): readonly (readonly string[] | undefined)[] =>
      typeof uri === "string"
        ? resources(uri).map((rule) =>
            rule === undefined ? fallback : scopesOf(rule, canonicalOf(uri) ?? uri, uri),
          )
        : [fallback];
    switch (method) {
      case "tools/call":
        return named(tools, params);
      case "prompts/get":
        return named(prompts, params);
      case "resources/read":
      case "resources/subscribe":
      case "resources/unsubscribe":
        return resource(params["uri"]);
      case "subscriptions/listen": {
        const filter = isRecord(params["notifications"]) ? params["notifications"] : {};
        const uris = filter["resourceSubscriptions"];
        return Array.isArray(uris) ? uris.flatMap(resource) : [];
      }
      case "completion/complete": {
        const ref = isRecord(params["ref"]) ? params["ref"] : {};
        return ref["type"] === "ref/resource" ? resource(ref["uri"]) : named(prompts, ref);
      }
      default:
        return harmless.has(method) || method.startsWith("notifications/") || methods(method) !== undefined
          ? []
          : [fallback];
    }
  }

  function required({ method, params }: Operation): readonly string[] | undefined {
    const values = isRecord(params) ? params : {};
    const rule = methods(method);
    const scopes = new Set(rule === undefined ? [] : scopesOf(rule, values, method));
    for (const more of scopesOfTargets(method, values)) {
      if (more === undefined) {
        return undefined;
      }
      more.forEach((scope) => scopes.add(scope));
    }
    return [...scopes];
  }

  function holds(auth: PolicySender, scopes: readonly string[]): boolean {
    let closure = closures.get(auth);
    if (closure === undefined) {
      closure = closureOf(auth.scopes ?? [], implied);
      closures.set(auth, closure);
    }
    return scopes.every((scope) => closure.has(scope));
  }

  function authorize(
    message: Operation,
    { auth }: { readonly auth: PolicySender | undefined },
  ): Denial | undefined {
    const scopes = required(message);
    return auth !== undefined && scopes !== undefined && holds(auth, scopes)
      ? undefined
      : { scopes: scopes ?? [] };
  }

  function visible(find: FindRule<Values>, items: unknown, auth: PolicySender | undefined): unknown {
    const isVisible = ({ name }: { readonly name: string }): boolean => {
      const rule = find(name) ?? fallback;
      return typeof rule === "function" || (rule !== undefined && auth !== undefined && holds(auth, rule));
    };
    return Array.isArray(items) ? items.filter(isVisible) : items;
  }

  /** Removes from a list what its reader may not use. */
  function withoutHidden(method: string, result: unknown, auth: PolicySender | undefined): unknown {
    if (!isRecord(result)) {
      return result;
    }
    return method === "tools/list"
      ? { ...result, tools: visible(tools, result["tools"], auth) }
      : { ...result, prompts: visible(prompts, result["prompts"], auth) };
  }

  return {
    holds,
    required,
    authorize,
    middleware: (next) => (request) => {
      const { method, auth } = request;
      const denial = authorize(request, { auth });
      if (denial !== undefined) {
        throw denial.scopes.length === 0
          ? new RpcError(ErrorCode.InvalidRequest, "Forbidden")
          : new InsufficientScope(denial.scopes);
      }
      const result = next(request);
      if (options.hideWithoutScope !== true || (method !== "tools/list" && method !== "prompts/list")) {
        return result;
      }
      return isThenable(result)
        ? result.then((listed) => withoutHidden(method, listed, auth))
        : withoutHidden(method, result, auth);
    },
  };
}
