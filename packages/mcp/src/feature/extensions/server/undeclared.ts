import { methodNotFound, type RpcError } from "@tenon/jsonrpc2/core";

import { missingClientCapability } from "../../../base/error.ts";
import type { InnerServerRequest } from "../../../request/server/request.ts";

/**
 * The error for a request whose client has not declared the required extension: `-32021` in the
 * modern era, `-32601` in the legacy era.
 *
 * @source
 */
export function undeclaredExtension(
  extension: string,
  { method, rules }: Pick<InnerServerRequest, "method" | "rules">,
): RpcError {
  return rules.era === "modern"
    ? missingClientCapability({ extensions: { [extension]: {} } })
    : methodNotFound(method, `it needs the extension ${extension}, which the client has not declared`);
}
