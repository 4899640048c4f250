import { wires, type FetchLike } from "./fetch-wire.ts";
import type { Wire } from "./wire.ts";

/** Statuses of responses that have no body. */
const bodiless: ReadonlySet<number> = new Set([101, 204, 205, 304]);

/**
 * Returns a `fetch` over a wire. Redirects are not followed. Clients of this package use the wire
 * itself.
 */
export function fetchOver(wire: Wire): FetchLike {
  const fetch: FetchLike = async (input, init) => {
    const { method = "GET", body, signal } = init;
    const response = await wire({
      url: new URL(input),
      method,
      headers: Object.fromEntries(new Headers(init.headers)),
      body: body === undefined || body === null ? undefined : await new Response(body).text(),
      signal: signal ?? new AbortController().signal,
    });
    const headers = Object.entries(response.fields?.() ?? {}).flatMap(([name, value]) =>
      [value ?? []].flat().map((one): [string, string] => [name, one]),
    );
    const stream = bodiless.has(response.status) ? null : streamOf(response.body);
    if (stream === null) {
      response.discard();
    }
    return new Response(stream, { status: response.status, headers });
  };
  wires.set(fetch, wire);
  return fetch;
}

function streamOf(body: AsyncIterable<Uint8Array>): ReadableStream<Uint8Array<ArrayBuffer>> {
  const chunks = body[Symbol.asyncIterator]();
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await chunks.next();
      if (done === true) {
        controller.close();
      } else {
        controller.enqueue(value as Uint8Array<ArrayBuffer>);
      }
    },
    async cancel() {
      await chunks.return?.();
    },
  });
}
