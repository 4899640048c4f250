import { formatChallenge, type Exchange, type HeaderFields } from "@tenon/http/server";
import { encode, type ErrorObject, type RequestId } from "@tenon/jsonrpc2/core";

/** Why a request is not served. */
export interface Refusal {
  readonly status: number;
  readonly error: ErrorObject;
}

/** Makes a {@link Refusal}. */
export function refusal(status: number, code: number, message: string, data?: unknown): Refusal {
  return { status, error: data === undefined ? { code, message } : { code, message, data } };
}

/**
 * The response to a request whose session has ended, never existed, or belongs to another
 * principal.
 *
 * @source R-364
 */
export const noSession: Refusal = {
  status: 404,
  error: { code: -32600, message: "Session not found. Send initialize to start a new session" },
};

const noLongerAuthorized: Refusal = {
  status: 401,
  error: { code: -32600, message: "Unauthorized: the credentials of this request are no longer valid" },
};

/**
 * Sends an error response. `id` is `null` if the request is unknown. A 503 always has
 * `Retry-After`, from which, with the error, clients know that the request did not run.
 *
 * @source, RFC 9110 §15.6.4
 */
export function refuse(
  exchange: Exchange,
  { status, error }: Refusal,
  headers: HeaderFields,
  id: RequestId | null = null,
): void {
  const fields = status === 503 && !("retry-after" in headers) ? { ...headers, "retry-after": "1" } : headers;
  exchange.respond(status, fields, encode({ jsonrpc: "2.0", id, error }));
}

/** Refuses a request whose sender lost its authorization after the request had arrived. */
export function refuseRevoked(exchange: Exchange, headers: HeaderFields, id: RequestId | null = null): void {
  const challenge = formatChallenge("Bearer", { error: "invalid_token" });
  refuse(exchange, noLongerAuthorized, { ...headers, "www-authenticate": challenge }, id);
}
