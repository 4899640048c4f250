import type { Exchange, HeaderFields } from "@tenon/http/server";
import { encode, type ErrorObject, type RequestId } from "@tenon/jsonrpc2";

/** Why a request is not served. */
export interface Refusal {
  readonly status: number;
  readonly error: ErrorObject;
}

/** Makes a {@link Refusal}. */
export function refusal(status: number, code: number, message: string, data?: unknown): Refusal {
  return { status, error: data === undefined ? { code, message } : { code, message, data } };
}

/** How a request is refused whose session is over, never was, or is somebody else's. @source R-364 */
export const noSession: Refusal = {
  status: 404,
  error: { code: -32600, message: "There is no such session; initialize a new one" },
};

/** Answers with an error. `id` is `null` where no request can be named. @source */
export function refuse(
  exchange: Exchange,
  { status, error }: Refusal,
  headers: HeaderFields,
  id: RequestId | null = null,
): void {
  exchange.respond(status, headers, encode({ jsonrpc: "2.0", id, error }));
}
