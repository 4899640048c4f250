import { postponementHeaders, type Postponement } from "@tenon/http/server";
import { RpcError } from "@tenon/jsonrpc2/core";
import { transportHint } from "@tenon/jsonrpc2/transport";

/**
 * The code of the error with which {@link limitSenders} and {@link limitCalls} refuse. It is the
 * HTTP status of the same meaning, and outside of the codes of JSON-RPC. `data.retryAfterMs` of the
 * error is the time until the next attempt, in milliseconds.
 */
export const tooManyRequests = 429;

/** Creates the error of a request above a limit. Over HTTP it becomes 429 with `Retry-After`. */
export function tooManyError(retryAfterMs: number): RpcError {
  const error = new RpcError(tooManyRequests, textOf(retryAfterMs), { data: { retryAfterMs } });
  return Object.defineProperty(error, transportHint, { value: { retryAfterMs } satisfies Postponement });
}

/** Creates the response to an HTTP request above a limit. Its body was not read. */
export function tooManyResponse(retryAfterMs: number): Response {
  const error = { code: tooManyRequests, message: textOf(retryAfterMs), data: { retryAfterMs } };
  return new Response(JSON.stringify({ jsonrpc: "2.0", id: null, error }), {
    status: 429,
    headers: { "content-type": "application/json", ...postponementHeaders({ retryAfterMs }) },
  });
}

function textOf(retryAfterMs: number): string {
  return `Too many requests; try again in ${Math.max(1, Math.ceil(retryAfterMs / 1000))} s`;
}
