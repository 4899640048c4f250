import { noteFailure, type Wire, type WireResponse } from "./wire.ts";

/** What is needed of `fetch`. */
export type FetchLike = (input: URL, init: RequestInit) => Promise<Response>;

/** Codes of errors that there was no connection because of. Runtimes other than Node say no more than that a `fetch` failed. */
const unconnected: ReadonlySet<unknown> = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "UND_ERR_CONNECT_TIMEOUT",
]);

/** A {@link Wire} over any `fetch`. */
export function fetchWire(fetch: FetchLike): Wire {
  return async ({ url, method, headers, body, signal }) => {
    try {
      const response = await fetch(url, {
        method,
        headers,
        signal,
        redirect: "manual",
        ...(body === undefined ? {} : { body }),
      });
      return wrap(response);
    } catch (error) {
      const { code } = (error instanceof Error ? (error.cause ?? error) : {}) as { readonly code?: unknown };
      noteFailure(error, { reused: false, connected: !unconnected.has(code) });
      throw error;
    }
  };
}

function wrap(response: Response): WireResponse {
  return {
    status: response.status,
    header: (name) => response.headers.get(name) ?? undefined,
    body: iterate(response.body),
    discard: () => void response.body?.cancel().catch(() => {}),
  };
}

/** Not every platform has async iteration of streams. */
async function* iterate(
  body: ReadableStream<Uint8Array> | null,
): AsyncGenerator<Uint8Array, void, undefined> {
  if (body === null) {
    return;
  }
  const reader = body.getReader();
  let complete = false;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) {
        complete = true;
        return;
      }
      yield value;
    }
  } finally {
    if (!complete) {
      void reader.cancel().catch(() => {});
    }
  }
}
