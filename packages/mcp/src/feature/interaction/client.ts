import { ErrorCode, methodNotFound, RpcError } from "@tenon/jsonrpc2/core";
import type { ClientCapabilities } from "@tenon/protocol";

import type { RevisionRules } from "../../revisions/rules.ts";
import { lackingCapabilities } from "./capability.ts";

/**
 * Refuses what a legacy server asks although this client has not declared it.
 *
 * @throws `RpcError` `-32601` for a feature that is not declared at all, `-32602` for a part of
 *   one.
 * @source
 */
export function refuseUndeclared(
  declared: ClientCapabilities,
  asked: { readonly method: string; readonly params: object | undefined },
  rules: RevisionRules,
): void {
  const lacking = lackingCapabilities(declared, asked, rules);
  if (lacking === undefined) {
    return;
  }
  const known = Object.keys(lacking).every((name) => name in declared);
  const why = `this client has not declared the capability ${JSON.stringify(lacking)}`;
  throw known
    ? new RpcError(ErrorCode.InvalidParams, `Cannot respond to ${asked.method}: ${why}`)
    : methodNotFound(asked.method, why);
}
