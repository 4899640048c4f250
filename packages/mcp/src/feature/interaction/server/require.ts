import type { RpcError } from "@tenon/jsonrpc2";
import type { ClientCapabilities } from "@tenon/protocol";

import { McpError, missingClientCapability } from "../../../base/error.ts";
import type { InnerServerRequest } from "../../../request/server/request.ts";
import type { RevisionRules } from "../../../revisions/rules.ts";
import {
  downConvertCapabilities,
  isDeclarable,
  lackingCapabilities,
  neededPath,
  type Asked,
} from "../capability.ts";
import { toldToClient } from "./errors.ts";

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
    const message = `Cannot send requests to the client: this ${method} request belongs to no session, which protocol version ${rules.revision} needs. Has its client sent initialize?`;
    throw toldToClient(new McpError("CAPABILITY_MISSING", message));
  }
}

function notInRevision({ revision }: RevisionRules, problem: string): McpError {
  return toldToClient(new McpError("NOT_IN_REVISION", `Protocol version ${revision} ${problem}.`));
}
