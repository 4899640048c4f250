import { withRetryAfter, type Exchange, type HeaderFields } from "@tenon/http/server";
import { encode, ErrorCode, type ErrorObject, type RequestId } from "@tenon/jsonrpc2/core";

/** Why a request is not served. */
export interface Refusal {
  readonly status: number;
  readonly error: ErrorObject;
}

/** Makes a {@link Refusal}. The default of the code follows from the status. */
export function refusal(
  status: number,
  message: string,
  code: number = status >= 500 ? ErrorCode.InternalError : ErrorCode.InvalidRequest,
): Refusal {
  return { status, error: { code, message } };
}

/**
 * The response to a request whose session has ended, never existed, or belongs to another
 * principal.
 *
 * @source R-364
 */
export const noSession: Refusal = /* @__PURE__ */ refusal(
  404,
  "Session not found. Send initialize to start a new session",
);

/** The response to a request that belongs to a session and names none. @source R-363 */
export const unnamed: Refusal = /* @__PURE__ */ refusal(400, "The request names no session (Mcp-Session-Id)");

/** Sends an error response. `id` is `null` if the request is unknown. @source */
export function refuse(
  exchange: Exchange,
  { status, error }: Refusal,
  headers: HeaderFields,
  id: RequestId | null = null,
): void {
  exchange.respond(status, withRetryAfter(status, headers), encode({ jsonrpc: "2.0", id, error }));
}

/** Refuses a request at the front door, with the JSON-RPC error of its status. */
export function refuseVisit(
  exchange: Exchange,
  status: number,
  message: string,
  headers: HeaderFields,
  id?: RequestId | null,
): void {
  // 400 is a body that broke off.
  refuse(exchange, refusal(status, message, status === 400 ? ErrorCode.ParseError : undefined), headers, id);
}
