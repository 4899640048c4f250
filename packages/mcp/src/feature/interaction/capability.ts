import type { RpcError } from "@tenon/jsonrpc2";
import type { ClientCapabilities } from "@tenon/protocol";

import { McpError, missingClientCapability } from "../../error.ts";
import type { RevisionRules } from "../../revisions/rules.ts";

/** An input request as it is on the wire: `method` and `params`, unchecked. */
interface Asked {
  readonly method: string;
  readonly params?: object | undefined;
}

/**
 * The capabilities that an input needs and a client has not declared; `undefined` if it has them all (R-143, R-604, R-605, R-617, R-618, T-57,
 * T-79). `elicitation: {}` means form mode alone. Methods that are no input need nothing.
 */
export function lackingCapabilities(
  declared: ClientCapabilities,
  { method, params = {} }: Asked,
): ClientCapabilities | undefined {
  switch (method) {
    case "roots/list":
      return declared.roots === undefined ? { roots: {} } : undefined;
    case "sampling/createMessage": {
      const withTools = "tools" in params || "toolChoice" in params;
      if (declared.sampling === undefined || (withTools && declared.sampling.tools === undefined)) {
        return { sampling: withTools ? { tools: {} } : {} };
      }
      return undefined;
    }
    case "elicitation/create": {
      const { elicitation } = declared;
      if ("mode" in params && params.mode === "url") {
        return elicitation?.url === undefined ? { elicitation: { url: {} } } : undefined;
      }
      const form =
        elicitation !== undefined && (elicitation.form !== undefined || elicitation.url === undefined);
      return form ? undefined : { elicitation: { form: {} } };
    }
    default:
      return undefined;
  }
}

/**
 * Refuses an input that the client has not declared, or that the revision does not have.
 *
 * @throws `McpError` `CAPABILITY_MISSING`; its `cause` is the −32021 that answers the request if the handler lets it pass.
 */
export function requireCapability(
  declared: ClientCapabilities,
  asked: Asked & { readonly rules: RevisionRules },
): void {
  const required = lackingCapabilities(downConvertCapabilities(declared, asked.rules), asked);
  if (required !== undefined) {
    const cause: RpcError = missingClientCapability(required);
    const message = `The client has not declared the capability ${JSON.stringify(required)}, which ${asked.method} needs.`;
    throw new McpError("CAPABILITY_MISSING", message, { cause });
  }
  if (asked.rules.methods[asked.method]?.requires?.client === undefined) {
    const message = `Revision ${asked.rules.revision} has no input ${asked.method}.`;
    throw new McpError("NOT_IN_REVISION", message);
  }
}

/** The capabilities as a revision knows them; those that it does not know at all are left out (T-46). */
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
