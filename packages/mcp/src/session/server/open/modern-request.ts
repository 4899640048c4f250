import type { Scope } from "@tenon/jsonrpc2";

import type { InnerServerSession } from "../../../request/server/session.ts";
import type { ServerDefinition } from "../definition.ts";
import { LiveServerRequest } from "../request.ts";
import { isModern, readEnvelope } from "./envelope.ts";

/**
 * Returns the request if its `_meta` names a protocol version, as every modern request does;
 * otherwise `undefined`.
 *
 * @throws `RpcError`: see {@link readEnvelope}.
 */
export function modernRequest(
  scope: Scope,
  definition: ServerDefinition,
  session: InnerServerSession | undefined,
): LiveServerRequest | undefined {
  const { revisions, tolerate } = definition;
  // To a server that supports legacy versions only, the modern _meta is one of many unknown keys.
  if (revisions.modern.length === 0 || !isModern(scope.params)) {
    return undefined;
  }
  const { rules, client } = readEnvelope(scope.params, revisions, tolerate);
  return new LiveServerRequest(definition, session, scope, rules, client);
}
