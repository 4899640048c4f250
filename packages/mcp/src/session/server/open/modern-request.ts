import type { Scope } from "@tenon/jsonrpc2";
import { requestFacts, type RequestFacts } from "@tenon/protocol";

import type { InnerServerSession } from "../../../request/server/session.ts";
import type { ServerDefinition } from "../definition.ts";
import { LiveServerRequest } from "../request.ts";
import { readEnvelope } from "./envelope.ts";

/**
 * Returns the request if its `_meta` names a protocol version, as every modern request does;
 * otherwise `undefined`.
 *
 * @param facts - What the transport has read. Default: they are read here.
 * @throws `RpcError`: see {@link readEnvelope}.
 */
export function modernRequest(
  scope: Scope,
  definition: ServerDefinition,
  session: InnerServerSession | undefined,
  facts: RequestFacts = requestFacts(scope.params),
): LiveServerRequest | undefined {
  // To a server that supports legacy versions only, the modern _meta is one of many unknown keys.
  if (definition.revisions.modern.length === 0 || facts.era !== "modern") {
    return undefined;
  }
  const { rules, client } = readEnvelope(scope.params, facts, definition);
  return new LiveServerRequest(definition, session, scope, rules, client);
}
