import type { RpcError } from "@tenon/jsonrpc2";
import type { ClientCapabilities } from "@tenon/protocol";

import { McpError, missingClientCapability } from "../../base/error.ts";
import { hasCapability } from "../../request/capabilities.ts";
import type { InnerServerRequest } from "../../request/server/request.ts";
import type { RevisionRules } from "../../revisions/rules.ts";
import { toldToClient } from "./errors.ts";

/** A message in its protocol form: `method` and `params`, not validated. */
interface Asked {
  readonly method: string;
  readonly params?: object | undefined;
}

/**
 * Returns the part of a capability that certain params of a method require, as a dotted path. The
 * method table contains the capability that the method always requires.
 */
const partNeeded: Readonly<Record<string, (params: object) => string | undefined>> = {
  "elicitation/create": (params) =>
    "mode" in params && params.mode === "url" ? "elicitation.url" : "elicitation.form",
  "sampling/createMessage": (params) =>
    "tools" in params || "toolChoice" in params ? "sampling.tools" : undefined,
};

/**
 * The capabilities that a message to a client needs and the client has not declared; `undefined` if
 * it has them all. `elicitation: {}` means form mode alone.
 *
 * @source, T-57, T-79
 */
export function lackingCapabilities(
  declared: ClientCapabilities,
  { method, params = {} }: Asked,
  rules: RevisionRules,
): ClientCapabilities | undefined {
  const path = neededPath({ method, params }, rules);
  if (path === undefined || hasCapability(declared, path)) {
    return undefined;
  }
  const { elicitation } = declared;
  const meansForm = path === "elicitation.form" && elicitation !== undefined && elicitation.url === undefined;
  return meansForm ? undefined : capabilityAt(path);
}

function neededPath({ method, params = {} }: Asked, rules: RevisionRules): string | undefined {
  return partNeeded[method]?.(params) ?? rules.methods[method]?.requires?.client;
}

/**
 * True if clients of a revision can declare a capability. `elicitation.form` is what `elicitation`
 * means where it has no parts.
 */
function isDeclarable(path: string, { clientCapabilities }: RevisionRules): boolean {
  const [name = "", part] = path.split(".");
  if (!inputCapabilities.has(name)) {
    return true;
  }
  const parts = clientCapabilities[name];
  return parts !== undefined && (part === undefined || part === "form" || parts.has(part));
}

/** `elicitation.url` as `{ elicitation: { url: {} } }`. */
function capabilityAt(path: string): ClientCapabilities {
  return path.split(".").reduceRight<object>((inner, name) => ({ [name]: inner }), {});
}

/**
 * Checks that a client has declared the capability for an input request, and that its protocol
 * version has the request.
 *
 * @throws `McpError` `NOT_IN_REVISION` if no client of the version can declare the capability;
 *   `CAPABILITY_MISSING`, whose `cause` is the `-32021` error. The request gets that error if the
 *   handler does not catch it.
 */
export function requireCapability(
  declared: ClientCapabilities,
  asked: Asked & { readonly rules: RevisionRules },
): void {
  const { method, rules } = asked;
  const info = rules.methods[method];
  if (info?.kind !== "request" || info.sentBy === "client") {
    throw notInRevision(rules, `has no request ${method} for servers to send`);
  }
  const path = neededPath(asked, rules);
  if (path !== undefined && !isDeclarable(path, rules)) {
    throw notInRevision(rules, `has no capability ${path}, which ${method} needs`);
  }
  const required = lackingCapabilities(downConvertCapabilities(declared, rules), asked, rules);
  if (required !== undefined) {
    const cause: RpcError = missingClientCapability(required);
    const message = `Cannot send ${method}: the client has not declared the capability ${JSON.stringify(required)}.`;
    throw toldToClient(new McpError("CAPABILITY_MISSING", message, { cause }));
  }
}

/**
 * Rejects an input request for a legacy request without a session: the client's capabilities are
 * unknown, and no request can be sent to it.
 *
 * @throws `McpError` `CAPABILITY_MISSING` with this explanation.
 */
export function requireSession({ rules, session, method }: InnerServerRequest): void {
  if (rules.era === "legacy" && session === undefined) {
    const message = `Cannot send requests to the client: this ${method} request has no session. Serve clients of protocol version ${rules.revision} with sessions.`;
    throw toldToClient(new McpError("CAPABILITY_MISSING", message));
  }
}

function notInRevision({ revision }: RevisionRules, problem: string): McpError {
  return toldToClient(new McpError("NOT_IN_REVISION", `Protocol version ${revision} ${problem}.`));
}

/**
 * The capabilities as a revision knows them; those that it does not know at all are left out.
 *
 * @source T-46
 */
export function downConvertCapabilities(
  capabilities: ClientCapabilities,
  rules: RevisionRules,
): ClientCapabilities {
  const entries = Object.entries(capabilities).flatMap(([name, value]: [string, object]) => {
    if (!inputCapabilities.has(name)) {
      return [[name, value] as const];
    }
    const members = rules.clientCapabilities[name];
    // Without modes, `elicitation` means forms.
    const urlOnly = name === "elicitation" && !("form" in value) && members?.has("url") !== true;
    if (members === undefined || (urlOnly && "url" in value)) {
      return [];
    }
    return [
      [name, Object.fromEntries(Object.entries(value).filter(([member]) => members.has(member)))] as const,
    ];
  });
  return Object.fromEntries(entries) as ClientCapabilities;
}

const inputCapabilities: ReadonlySet<string> = new Set(["roots", "sampling", "elicitation"]);
