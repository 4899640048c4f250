import { concat } from "../concat.ts";
import { HttpError } from "../error.ts";
import type { WireResponse } from "./wire.ts";

const utf8 = /* @__PURE__ */ new TextDecoder();

/**
 * Returns the body as text if all of it has arrived with the headers, otherwise `undefined`. In the
 * latter case the body is still to be read.
 *
 * @throws `HttpError` `BODY_TOO_LARGE` beyond `maxBytes`.
 */
export function receivedText(response: WireResponse, maxBytes: number): string | undefined {
  const chunks = response.take?.();
  return chunks && textOf(chunks, sizeOf(chunks), maxBytes);
}

/**
 * Reads a body as text.
 *
 * @throws `HttpError` `BODY_TOO_LARGE` beyond `maxBytes`, `NETWORK` if it breaks off.
 */
export async function readText(response: WireResponse, maxBytes: number): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const chunk of response.body) {
      size += chunk.length;
      if (size > maxBytes) {
        break;
      }
      chunks.push(chunk);
    }
  } catch (cause) {
    throw brokenOff(cause);
  }
  return textOf(chunks, size, maxBytes);
}

function sizeOf(chunks: readonly Uint8Array[]): number {
  let size = 0;
  for (const chunk of chunks) {
    size += chunk.length;
  }
  return size;
}

/** Decodes a body in one piece. Runtimes have a slower decoder for text in several pieces. */
function textOf(chunks: readonly Uint8Array[], size: number, maxBytes: number): string {
  if (size > maxBytes) {
    throw new HttpError("BODY_TOO_LARGE", `Response exceeds the limit of ${maxBytes} bytes.`);
  }
  return utf8.decode(concat(chunks, size));
}

/** Maximum time to receive the body of an error response, in milliseconds. */
const excerptMs = 1000;

/**
 * Reads at most `maxBytes` of a body, for an error text; what breaks off, or takes longer than a
 * second, is left out.
 */
export async function readExcerpt(response: WireResponse, maxBytes: number): Promise<string> {
  const decoder = new TextDecoder();
  const body = response.body[Symbol.asyncIterator]();
  let text = "";
  let size = 0;
  const timer = setTimeout(() => void body.return?.().catch(() => {}), excerptMs);
  try {
    for (let next = await body.next(); next.done !== true; next = await body.next()) {
      text += decoder.decode(next.value.subarray(0, maxBytes - size), { stream: true });
      size += next.value.length;
      if (size >= maxBytes) {
        await body.return?.();
        break;
      }
    }
  } catch {
    // The part that has arrived is enough for the message.
  } finally {
    clearTimeout(timer);
  }
  return text;
}

/** A response whose body has been read as text, to be read again. */
export function withText(response: WireResponse, text: string): WireResponse {
  return {
    status: response.status,
    header: (name) => response.header(name),
    body: (async function* () {
      yield new TextEncoder().encode(text);
    })(),
    discard: () => {},
  };
}

/** A body whose failure is an `HttpError`. */
export async function* whole(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, undefined> {
  try {
    yield* body;
  } catch (cause) {
    throw brokenOff(cause);
  }
}

function brokenOff(cause: unknown): HttpError {
  const detail = cause instanceof Error ? cause.message : String(cause);
  return new HttpError("NETWORK", `Response ended early: ${detail}`, { cause });
}
