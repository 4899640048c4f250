import { ErrorCode, RpcError } from "@tenon/jsonrpc2";
import type { ClientCapabilities } from "@tenon/protocol";

import { lackingCapabilities } from "./capability.ts";

/**
 * Refuses what a legacy server asks although this client has not declared it.
 *
 * @throws `RpcError` −32601 for a feature that is not declared at all, −32602 for a part of one.
 */
export function refuseUndeclared(
  declared: ClientCapabilities,
  asked: { readonly method: string; readonly params: object | undefined },
): void {
  const lacking = lackingCapabilities(declared, asked);
  if (lacking === undefined) {
    return;
  }
  const known = Object.keys(lacking).every((name) => name in declared);
  const what = JSON.stringify(lacking);
  throw known
    ? new RpcError(ErrorCode.InvalidParams, `This client has not declared the capability ${what}`)
    : new RpcError(ErrorCode.MethodNotFound, `Method not found: ${asked.method}`);
}
