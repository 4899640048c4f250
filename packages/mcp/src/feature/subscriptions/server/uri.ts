import { ErrorCode, RpcError } from "@tenon/jsonrpc2/core";

/**
 * Maximum length of a subscribed URI, in UTF-16 code units. It is stored for the lifetime of the
 * subscription.
 */
const maxLength = 8192;

/**
 * Validates a URI to subscribe to.
 *
 * @throws `RpcError` `-32602` if it is not a string, or too long.
 */
export function checkUri(uri: unknown): string {
  if (typeof uri !== "string") {
    throw new RpcError(ErrorCode.InvalidParams, "Resource URI must be a string");
  }
  if (uri.length > maxLength) {
    const message = `Resource URI is too long: ${uri.length} characters; the limit is ${maxLength}`;
    throw new RpcError(ErrorCode.InvalidParams, message);
  }
  return uri;
}
