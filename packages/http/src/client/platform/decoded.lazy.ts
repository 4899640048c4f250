import { pipeline, Readable, type Transform } from "node:stream";
import { constants, createBrotliDecompress, createGunzip, createInflate } from "node:zlib";

import type { WireResponse } from "../wire.ts";

/**
 * Data is passed on as soon as it has arrived, and its end may be missing, as in `fetch` and curl.
 */
const lenient = { flush: constants.Z_SYNC_FLUSH, finishFlush: constants.Z_SYNC_FLUSH };
const lenientBrotli = {
  flush: constants.BROTLI_OPERATION_FLUSH,
  finishFlush: constants.BROTLI_OPERATION_FLUSH,
};

const decoders = new Map<string, () => Transform>([
  ["gzip", () => createGunzip(lenient)],
  ["x-gzip", () => createGunzip(lenient)],
  ["deflate", () => createInflate(lenient)],
  ["br", () => createBrotliDecompress(lenientBrotli)],
]);

const done: IteratorResult<Uint8Array, undefined> = { done: true, value: undefined };

/**
 * Decompresses the body of a response, as `fetch` does. Clients here ask for no compression, but a
 * server that is not asked may choose one, and some proxies compress everything.
 *
 * @param encoding - `Content-Encoding`. Bodies with any other compression are left unchanged.
 * @source RFC 9110 §12.5.3
 */
export function decoded(response: WireResponse, encoding: string): WireResponse {
  const decoder = decoders.get(encoding.trim().toLowerCase())?.();
  return decoder === undefined
    ? response
    : {
        status: response.status,
        header: (name) => response.header(name),
        fields: () => response.fields?.() ?? {},
        body: through(decoder, response.body),
        discard: () => response.discard(),
      };
}

/** Passes a body through a decoder. Unlike a generator, it can be ended while it waits. */
function through(
  decoder: Transform,
  body: AsyncIterable<Uint8Array>,
): AsyncIterableIterator<Uint8Array, undefined> {
  const source = body[Symbol.asyncIterator]();
  let chunks: AsyncIterator<Uint8Array> | undefined;
  const start = (): AsyncIterator<Uint8Array> => {
    const compressed = Readable.from({ [Symbol.asyncIterator]: () => source }, { objectMode: false });
    // The iteration of the decoder gets the errors.
    return pipeline(compressed, decoder, () => undefined)[
      Symbol.asyncIterator
    ]() as AsyncIterator<Uint8Array>;
  };
  return {
    async next() {
      chunks ??= start();
      const next = await chunks.next();
      return next.done === true ? done : next;
    },
    async return() {
      decoder.destroy();
      await source.return?.();
      return done;
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}
