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

/** Answers with an error. `id` is `null` where no request can be named. @source */
export function refuse(
  exchange: Exchange,
  { status, error }: Refusal,
  headers: HeaderFields,
  id: RequestId | null = null,
): void {
  exchange.respond(status, headers, encode({ jsonrpc: "2.0", id, error }));
}
