/** A whole answer. */
export interface Answer {
  readonly status: number;
  /** The header fields as one text, in lower case. */
  readonly head: string;
  readonly body: Buffer;
}

const blank = Buffer.from("\r\n\r\n");
const lineEnd = Buffer.from("\r\n");

/**
 * Takes the bytes of one HTTP/1.1 answer after the other and says when one is complete. Just enough
 * of HTTP for servers that are known: lengths and chunks, no trailers, no answers without a body
 * but 202 and 204.
 */
export class AnswerReader {
  #held: Buffer[] = [];
  #size = 0;
  /** Nothing can be complete before this many bytes are there. */
  #needed = 0;

  /**
   * @returns The answer, if these bytes complete it. What follows it is not expected: one request
   *   is under way at a time.
   */
  take(chunk: Buffer): Answer | undefined {
    this.#held.push(chunk);
    this.#size += chunk.length;
    if (this.#size < this.#needed) {
      return undefined;
    }
    const bytes = this.#held.length === 1 ? chunk : Buffer.concat(this.#held, this.#size);
    this.#held = [bytes];
    const answer = this.#read(bytes);
    if (answer !== undefined) {
      this.#held = [];
      this.#size = 0;
      this.#needed = 0;
    }
    return answer;
  }

  #read(bytes: Buffer): Answer | undefined {
    const end = bytes.indexOf(blank);
    if (end < 0) {
      return undefined;
    }
    const head = bytes.toString("latin1", 0, end).toLowerCase();
    const status = Number(head.slice(9, 12));
    const start = end + blank.length;
    const body = /\r\ntransfer-encoding: *chunked/.test(head)
      ? chunks(bytes, start)
      : this.#sized(bytes, start, head);
    return body === undefined ? undefined : { status, head, body };
  }

  #sized(bytes: Buffer, start: number, head: string): Buffer | undefined {
    this.#needed = start + Number(/\r\ncontent-length: *(\d+)/.exec(head)?.[1] ?? 0);
    return bytes.length < this.#needed ? undefined : bytes.subarray(start, this.#needed);
  }
}

/** The content of a chunked body; `undefined` while the last chunk is missing. */
function chunks(bytes: Buffer, start: number): Buffer | undefined {
  const parts: Buffer[] = [];
  for (let at = start; ;) {
    const line = bytes.indexOf(lineEnd, at);
    if (line < 0) {
      return undefined;
    }
    const size = Number.parseInt(bytes.toString("latin1", at, line), 16);
    const from = line + lineEnd.length;
    at = from + size + lineEnd.length;
    if (at > bytes.length) {
      return undefined;
    }
    if (size === 0) {
      return parts.length === 1 ? parts[0] : Buffer.concat(parts);
    }
    parts.push(bytes.subarray(from, from + size));
  }
}
