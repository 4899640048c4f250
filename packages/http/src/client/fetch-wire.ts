import type { Wire, WireResponse } from "./wire.ts";

/** What is needed of `fetch`. */
export type FetchLike = (input: URL, init: RequestInit) => Promise<Response>;

/** A {@link Wire} over any `fetch`. */
export function fetchWire(fetch: FetchLike): Wire {
  return async ({ url, method, headers, body, signal }) => {
    const response = await fetch(url, {
      method,
      headers,
      signal,
      redirect: "manual",
      ...(body === undefined ? {} : { body }),
    });
    return wrap(response);
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
