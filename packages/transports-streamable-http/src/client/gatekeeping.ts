import type { WireResponse } from "@tenon/http/client";
import type { Message, RequestId } from "@tenon/jsonrpc2";
import { McpErrorCode } from "@tenon/protocol";

/** Statuses about who sends a request and how often. */
const gatekeeping: ReadonlySet<number> = new Set([401, 403, 429]);

/** Errors that only modern servers know. @source R-223 */
const isModernCode = (code: number): boolean =>
  code <= McpErrorCode.HeaderMismatch && code >= McpErrorCode.UnsupportedProtocolVersion;

/** Whether a status concerns the sender of a request, the rate or the state of the server. */
export function isGatekeeping(status: number): boolean {
  return gatekeeping.has(status) || status >= 500;
}

/** Whether only a modern server sends such an error. */
export function isFromModernServer(answer: Message): boolean {
  return "error" in answer && isModernCode(answer.error.code);
}

/**
 * Whether a response is a 503 with `Retry-After`. If the body is a JSON-RPC error, it comes from
 * the server itself, which has not started the request. A proxy also sends 503 for requests whose
 * server took too long or crashed.
 *
 * @source RFC 9110 §15.6.4, §10.2.3
 */
export function isPostponed(response: WireResponse): boolean {
  return response.status === 503 && response.header("retry-after") !== undefined;
}

/** An error without an ID in the response to a single request can only belong to that request. */
export function isUnnamed(id: RequestId | null | undefined): boolean {
  return id === undefined || id === null;
}
