import type { RpcError } from "@tenon/jsonrpc2";
import type { ClientCapabilities } from "@tenon/protocol";

import { McpError, missingClientCapability } from "../../error.ts";
import type { RevisionRules } from "../../revisions/rules.ts";
import { hasCapability } from "../capabilities.ts";

/** A message as it is on the wire: `method` and `params`, unchecked. */
interface Asked {
  readonly method: string;
  readonly params?: object | undefined;
}

/** The part of a capability that certain params of a method need, as a dotted path; the method table says what it needs whatever they are. */
const partNeeded: Readonly<Record<string, (params: object) => string | undefined>> = {
  "elicitation/create": (params) =>
    "mode" in params && params.mode === "url" ? "elicitation.url" : "elicitation.form",
  "sampling/createMessage": (params) =>
    "tools" in params || "toolChoice" in params ? "sampling.tools" : undefined,
};

/**
 * The capabilities that a message to a client needs and the client has not declared; `undefined` if it has them all. `elicitation: {}` means form mode alone.
 *
 * @source, T-57, T-79
 */
export function lackingCapabilities(
  declared: ClientCapabilities,
  { method, params = {} }: Asked,
  rules: RevisionRules,
): ClientCapabilities | undefined {
  const path = partNeeded[method]?.(params) ?? rules.methods[method]?.requires?.client;
  if (path === undefined || hasCapability(declared, path)) {
    return undefined;
  }
  const { elicitation } = declared;
  const meansForm = path === "elicitation.form" && elicitation !== undefined && elicitation.url === undefined;
  return meansForm ? undefined : capabilityAt(path);
}

/** `elicitation.url` as `{ elicitation: { url: {} } }`. */
function capabilityAt(path: string): ClientCapabilities {
  return path.split(".").reduceRight<object>((inner, name) => ({ [name]: inner }), {});
}

/**
 * Refuses to ask a client for what it has not declared, or for what the revision does not have.
 *
 * @throws `McpError` `CAPABILITY_MISSING`, whose `cause` is the −32021 that answers the request if the handler lets it pass; `NOT_IN_REVISION`.
 */
export function requireCapability(
  declared: ClientCapabilities,
  asked: Asked & { readonly rules: RevisionRules },
): void {
  const required = lackingCapabilities(downConvertCapabilities(declared, asked.rules), asked, asked.rules);
  if (required !== undefined) {
    const cause: RpcError = missingClientCapability(required);
    const message = `The client has not declared the capability ${JSON.stringify(required)}, which ${asked.method} needs.`;
    throw new McpError("CAPABILITY_MISSING", message, { cause });
  }
  const info = asked.rules.methods[asked.method];
  if (info?.kind !== "request" || info.sentBy === "client") {
    const message = `Revision ${asked.rules.revision} has no request ${asked.method} for servers to send.`;
    throw new McpError("NOT_IN_REVISION", message);
  }
}

/** The capabilities as a revision knows them; those that it does not know at all are left out. @source T-46 */
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
