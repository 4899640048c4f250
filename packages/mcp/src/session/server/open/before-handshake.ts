import { ErrorCode, RpcError, type Scope } from "@tenon/jsonrpc2/core";
import { requestFacts } from "@tenon/protocol";

import type { InnerServerSession } from "../../../request/server/session.ts";
import type { ServerDefinition } from "../definition.ts";
import { LiveServerRequest } from "../request.ts";
import { serve } from "../serve.ts";
import { readEnvelope } from "./envelope.ts";
import { unknownClient } from "./handshake.ts";

/**
 * Handles a request that came before `initialize` and without the `_meta` of a modern request. Only
 * `ping` is served.
 *
 * @throws `RpcError`.
 * @source
 */
export function beforeHandshake(
  scope: Scope,
  definition: ServerDefinition,
  session: InnerServerSession | undefined,
): unknown {
  const { revisions, tolerate } = definition;
  const { modern, legacy } = revisions;
  if (scope.method === "ping" && legacy.length > 0) {
    return {};
  }
  if (modern.length > 0 && (legacy.length === 0 || scope.method === "server/discover")) {
    readEnvelope(scope.params, requestFacts(scope.params), definition);
  }
  const message = `Session not initialized: send initialize before ${scope.method.slice(0, 100)}`;
  const refusal = new RpcError(ErrorCode.InvalidRequest, message);
  const [newest] = legacy;
  if (newest === undefined) {
    throw refusal;
  }
  tolerate("requestBeforeInitialize", refusal);
  return serve(definition, new LiveServerRequest(definition, session, scope, newest, unknownClient));
}
