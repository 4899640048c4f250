import { ErrorCode, RpcError } from "@tenon/jsonrpc2/core";
import {
  receivingMethod,
  resourceNotFound,
  unknownPrompt,
  unknownTool,
  type ReceivingMiddleware,
  type ServerRequest,
} from "@tenon/mcp";
import { firstModern } from "@tenon/protocol";

/**
 * Returns whether the sender of a request may see and use an item. The item may not exist.
 *
 * @param name - The name of a tool or a prompt, the URI of a resource or of a template.
 */
export type MaySee = (request: ServerRequest, name: string) => boolean | Promise<boolean>;

type Middleware = ReceivingMiddleware<ServerRequest>;
type Allowed = (request: ServerRequest, name: unknown) => Promise<boolean>;

/** An item is visible only if `maySee` returns `true`: it is hidden if `maySee` throws. */
function allowedBy(maySee: MaySee): Allowed {
  if (typeof maySee !== "function") {
    throw new TypeError(
      `maySee must be a function that returns whether a user may see an item; got ${typeof maySee}.`,
    );
  }
  return async (request, name) => {
    try {
      const answer: unknown = typeof name === "string" && (await maySee(request, name));
      return answer === true;
    } catch {
      return false;
    }
  };
}

/** A page of any list, as the handlers of the server return it. */
interface AnyPage {
  readonly nextCursor?: string | undefined;
  readonly [member: string]: unknown;
}

/**
 * Hides items of a list. A cursor contains the key of the last item of its page, so a page that
 * ends with a hidden item is joined with the next page.
 */
function hiding(method: string, member: string, key: string, allowed: Allowed): Middleware {
  return (next) => async (request) => {
    if (request.method !== method) {
      return next(request);
    }
    const seen: unknown[] = [];
    for (let asked = request; ;) {
      const page = (await next(asked)) as AnyPage;
      const items = page[member];
      if (!Array.isArray(items)) {
        return page;
      }
      const visible = await Promise.all(
        items.map((item: Readonly<Record<string, unknown>>) => allowed(request, item[key])),
      );
      seen.push(...items.filter((_, index) => visible[index]));
      const { nextCursor } = page;
      if (nextCursor === undefined || visible.at(-1) === true) {
        const scope = request.revision >= firstModern ? { cacheScope: "private" } : {};
        return { ...page, ...scope, [member]: seen };
      }
      asked = request.with({ params: { ...request.params, cursor: nextCursor } });
    }
  };
}

/** Rejects completion for hidden items. */
function completing(type: string, key: string, allowed: Allowed, error: ErrorOf): Middleware {
  return receivingMethod("completion/complete", async (request, next) => {
    const ref: unknown = request.params.ref;
    const { [key]: name, type: asked } = (ref ?? {}) as Readonly<Record<string, unknown>>;
    if (asked === type && typeof name === "string" && !(await allowed(request, name))) {
      throw error(name, request);
    }
    return next(request);
  });
}

type ErrorOf = (name: string, request: ServerRequest) => Error;

/** Rejects requests of a method about hidden items. */
function rejecting(method: string, key: string, allowed: Allowed, error: ErrorOf): Middleware {
  return (next) => async (request) => {
    const name = request.method === method ? request.params[key] : undefined;
    if (typeof name === "string" && !(await allowed(request, name))) {
      throw error(name, request);
    }
    return next(request);
  };
}

/**
 * Hides tools from users who may not use them, in lists and in calls: a call of a hidden tool gets
 * the same error as a call of an unknown tool. A tool is visible only if `maySee` returns `true`.
 * It is hidden if `maySee` throws or returns another value. Lists are marked as private for caches.
 *
 * @example
 * const isAdmin = (request: ServerRequest) => request.auth?.scopes?.includes("admin") === true;
 * server.addReceivingMiddleware(
 *   ...visibleTools((request, tool) => !tool.startsWith("admin_") || isAdmin(request)),
 * );
 */
export function visibleTools(maySee: MaySee): readonly Middleware[] {
  const allowed = allowedBy(maySee);
  return [
    hiding("tools/list", "tools", "name", allowed),
    rejecting("tools/call", "name", allowed, (name) => unknownTool(name)),
  ];
}

/** Hides prompts as {@link visibleTools} hides tools: in lists, requests and completion. */
export function visiblePrompts(maySee: MaySee): readonly Middleware[] {
  const allowed = allowedBy(maySee);
  return [
    hiding("prompts/list", "prompts", "name", allowed),
    rejecting("prompts/get", "name", allowed, (name) => unknownPrompt(name)),
    completing("ref/prompt", "name", allowed, (name) => unknownPrompt(name)),
  ];
}

/**
 * Hides resources and templates as {@link visibleTools} hides tools: in lists, reads, completion
 * and subscriptions. `maySee` gets the URI of a resource, or the text of a template in the list of
 * templates. For a resource that a template serves, `maySee` gets the URI of the resource. A
 * subscription continues if its resource is hidden later.
 */
export function visibleResources(maySee: MaySee): readonly Middleware[] {
  const allowed = allowedBy(maySee);
  const notFound: ErrorOf = (uri, { revision }) => resourceNotFound(uri, revision);
  return [
    hiding("resources/list", "resources", "uri", allowed),
    hiding("resources/templates/list", "resourceTemplates", "uriTemplate", allowed),
    rejecting("resources/read", "uri", allowed, notFound),
    rejecting("resources/subscribe", "uri", allowed, notFound),
    completing("ref/resource", "uri", allowed, notFound),
    listening(allowed),
  ];
}

/** Maximum number of URIs in one filter. */
const maxListened = 10_000;

/** Leaves hidden resources out of the filter of `subscriptions/listen`. */
function listening(allowed: Allowed): Middleware {
  return (next) => async (request) => {
    const filter = request.method === "subscriptions/listen" ? request.params["notifications"] : undefined;
    const { resourceSubscriptions: uris } = (filter ?? {}) as { readonly resourceSubscriptions?: unknown };
    if (!Array.isArray(uris)) {
      return next(request);
    }
    if (uris.length > maxListened) {
      throw new RpcError(
        ErrorCode.InvalidParams,
        `resourceSubscriptions may name ${maxListened} URIs at most`,
      );
    }
    const visible = await Promise.all(
      uris.map(async (uri: unknown) => typeof uri !== "string" || allowed(request, uri)),
    );
    const notifications = {
      ...(filter as object),
      resourceSubscriptions: uris.filter((_, index) => visible[index]),
    };
    return next(request.with({ params: { ...request.params, notifications } }));
  };
}
