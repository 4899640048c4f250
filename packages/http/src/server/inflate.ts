import { concat } from "../concat.ts";
import { HttpError } from "../error.ts";
import type { BodyBytes } from "./body-bytes.ts";

/** The compressions of request bodies that are understood. */
const formats = new Map<string, "gzip" | "deflate">([
  ["gzip", "gzip"],
  ["x-gzip", "gzip"],
  ["deflate", "deflate"],
]);

/**
 * The format of a `Content-Encoding`; `undefined` for none.
 *
 * @throws `HttpError` `UNSUPPORTED_ENCODING`.
 */
export function compressionOf(encoding: string | undefined): "gzip" | "deflate" | undefined {
  if (encoding === undefined || encoding === "identity") {
    return undefined;
  }
  const format = formats.get(encoding.toLowerCase());
  if (format === undefined) {
    throw new HttpError("UNSUPPORTED_ENCODING", "The body's Content-Encoding is neither gzip nor deflate.");
  }
  return format;
}

/**
 * Decompresses a body, and stops as soon as the result exceeds `maxBytes`: a small body may
 * decompress to a very large one.
 *
 * @param bytes - Counts the decompressed bytes.
 * @throws `HttpError` `BODY_TOO_LARGE`, `OVERLOADED`, or `BODY_INCOMPLETE` for data that is not
 *   validly compressed.
 */
export async function inflate(
  compressed: Uint8Array,
  format: "gzip" | "deflate",
  maxBytes: number,
  bytes: BodyBytes,
): Promise<Uint8Array> {
  const inflated = new Blob([compressed as Uint8Array<ArrayBuffer>])
    .stream()
    .pipeThrough(new DecompressionStream(format))
    .getReader();
  const chunks: Uint8Array[] = [];
  let size = 0;
  for (;;) {
    const { done, value } = await inflated.read().catch((cause: unknown) => {
      throw new HttpError("BODY_INCOMPLETE", `The body is not valid ${format}.`, { cause });
    });
    if (done) {
      return concat(chunks, size);
    }
    const chunk = value as Uint8Array;
    size += chunk.length;
    try {
      if (size > maxBytes) {
        throw tooLarge(maxBytes);
      }
      bytes.grow(size);
    } catch (error) {
      void inflated.cancel().catch(() => {});
      throw error;
    }
    chunks.push(chunk);
  }
}

/** The error for a body beyond its limit. */
export function tooLarge(maxBytes: number): HttpError {
  return new HttpError("BODY_TOO_LARGE", `The body is longer than ${maxBytes} bytes (maxMessageBytes).`);
}
