import type { RequestId } from "../message.ts";

/** Properties that some encoders write after the payload. */
const tailPattern = /,"jsonrpc":"2\.0"(?:,"id":(?:(0|[1-9]\d{0,14})|"([^"\\\p{Cc}]*)"))?\}$/u;
/** Maximum length of the tail that is searched: a longer id is rejected anyway. */
const tailLength = 300;

/** The end of an envelope: its properties after the payload. */
export interface EnvelopeTail {
  readonly id: RequestId | undefined;
  /** In UTF-16 code units, with the comma before it and the closing brace. */
  readonly length: number;
}

/**
 * Reads the properties of an envelope that follow its payload, the version and possibly the ID;
 * `undefined` for any other notation.
 */
export function readTail(text: string): EnvelopeTail | undefined {
  const found = tailPattern.exec(text.slice(-tailLength));
  if (found === null) {
    return undefined;
  }
  const [{ length }, digits, quoted] = found;
  return { id: digits === undefined ? quoted : Number(digits), length };
}
