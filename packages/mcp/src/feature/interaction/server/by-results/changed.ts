import { ErrorCode, LocalError, RpcError } from "@tenon/jsonrpc2/core";

import type { InteractionService } from "../options.ts";

const reported = new WeakSet<InteractionService>();

/**
 * The error for the response to an input request that this run of the handler makes differently.
 * The client's user cannot correct that, so the first one is also reported to the operator: only
 * the first, because clients can send a state as often as they like.
 */
export function changed(key: string, method: string, service: InteractionService): RpcError {
  const what = `Input request ${JSON.stringify(key)} has changed since the previous round`;
  if (!reported.has(service)) {
    reported.add(service);
    const advice =
      "Its text or its place among the input requests differs from run to run: give it a `key`, or take what varies from `ctx.step`. Further ones are not reported.";
    service.onError(new LocalError("INVALID_STATE", `${method}: ${what}. ${advice}`));
  }
  return new RpcError(ErrorCode.InvalidParams, `${what}; start again without requestState`);
}
