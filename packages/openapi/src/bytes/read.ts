import { concat } from "./bytes.ts";

/** The part of a body that was read. */
export interface ReadBody {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Whether the body has more than the limit. */
  readonly isCut: boolean;
}

/**
 * Reads a body up to a limit, and closes the connection beyond it.
 *
 * @param take - Called with the size of each chunk. Its error ends the reading.
 * @throws The error of the stream, or of `take`.
 */
export async function readBytes(
  response: Response,
  maxBytes: number,
  take?: (count: number) => void,
): Promise<ReadBody> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  const reader = response.body?.getReader();
  try {
    for (let next = await reader?.read(); next !== undefined && !next.done; next = await reader?.read()) {
      const chunk = next.value as Uint8Array;
      if (size + chunk.length > maxBytes) {
        chunks.push(chunk.subarray(0, maxBytes - size));
        return { bytes: concat(chunks), isCut: true };
      }
      take?.(chunk.length);
      size += chunk.length;
      chunks.push(chunk);
    }
    return { bytes: concat(chunks), isCut: false };
  } finally {
    reader?.cancel().catch(() => {});
  }
}

/** Decodes text by the charset of its media type. Unknown charsets are read as UTF-8. */
export function decodeText(bytes: Uint8Array, contentType: string): string {
  const [, charset = "utf-8"] = /;\s*charset="?([\w.:-]+)"?/i.exec(contentType) ?? [];
  try {
    return new TextDecoder(charset).decode(bytes);
  } catch {
    return new TextDecoder().decode(bytes);
  }
}
