import { headLength } from "../codec/limits.ts";
import { PartialLine } from "./partial-line.ts";

const lineFeed = 0x0a;
const carriageReturn = 0x0d;
const space = 0x20;
const strictUtf8 = /* @__PURE__ */ new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const nothing = new Uint8Array(0);

/**
 * One line without its end: text; bytes if they are not UTF-8; or the news that a line was too long
 * and has been skipped.
 */
export type Line = string | Uint8Array | SkippedLine;

/** Stands for a line that exceeded the limit. */
export class SkippedLine {
  /** The beginning of the line. */
  readonly start: Uint8Array;

  constructor(line: Uint8Array) {
    this.start = line.slice(0, headLength);
  }
}

/**
 * Splits a stream of bytes into lines, in time and memory linear in the input however it is cut
 * into chunks. Everything up to the last line end of a chunk is decoded at once: a line end never
 * occurs inside a UTF-8 sequence, so no sequence is torn.
 */
export class LineSplitter {
  readonly #maxBytes: number;
  readonly #partial = new PartialLine();
  #skipping: SkippedLine | undefined;
  #lines: Line[] = [];
  #nextLine = 0;

  /**
   * @param maxBytes - Longest line in bytes, the line end not counted. Longer ones are skipped
   *   without being kept.
   */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /**
   * The next complete line, `undefined` if there is none yet. A CR before the LF and blank
   * lines are dropped.
   */
  next(): Line | undefined {
    if (this.#nextLine >= this.#lines.length) {
      return undefined;
    }
    const line = this.#lines[this.#nextLine++];
    if (this.#nextLine === this.#lines.length) {
      this.#lines = [];
      this.#nextLine = 0;
    }
    return line;
  }

  /**
   * Adds a chunk. It is stored until its last line is complete, so the caller must not reuse its
   * memory.
   */
  push(chunk: Uint8Array): void {
    let rest = chunk;
    if (this.#skipping !== undefined) {
      const end = rest.indexOf(lineFeed);
      if (end < 0) {
        return;
      }
      this.#lines.push(this.#skipping);
      this.#skipping = undefined;
      rest = rest.subarray(end + 1);
    }
    const last = rest.lastIndexOf(lineFeed);
    if (last >= 0) {
      this.#take(rest.subarray(0, last));
      rest = rest.subarray(last + 1);
    }
    if (rest.length > 0) {
      this.#keep(rest);
    }
  }

  /** Handles the end of the stream: the bytes after the last line end count as a line. */
  end(): void {
    if (this.#skipping !== undefined) {
      this.#lines.push(this.#skipping);
      this.#skipping = undefined;
    } else if (this.#partial.length > 0) {
      this.#take(nothing);
    }
  }

  #keep(rest: Uint8Array): void {
    this.#partial.add(rest);
    // One byte more than the limit may be a CR that belongs to the line end.
    if (this.#partial.length > this.#maxBytes + 1) {
      this.#skipping = new SkippedLine(this.#partial.take(nothing));
    }
  }

  #take(bytes: Uint8Array): void {
    const whole = this.#partial.take(bytes);
    if (whole.length > this.#maxBytes) {
      this.#takeOneByOne(whole);
      return;
    }
    let text: string;
    try {
      text = strictUtf8.decode(whole);
    } catch {
      this.#takeOneByOne(whole);
      return;
    }
    // The stored bytes have no line end, so only the new bytes are searched.
    if (!bytes.includes(lineFeed)) {
      this.#add(text);
      return;
    }
    for (const line of text.split("\n")) {
      this.#add(line);
    }
  }

  #add(line: string): void {
    const text = line.endsWith("\r") ? line.slice(0, -1) : line;
    // Only a line that begins with white space can be blank.
    if (text.length > 0 && (text.charCodeAt(0) > space || text.trim().length > 0)) {
      this.#lines.push(text);
    }
  }

  /** One line among these may be too long, or not UTF-8: the others must still be read. */
  #takeOneByOne(bytes: Uint8Array): void {
    for (let start = 0; start <= bytes.length;) {
      const found = bytes.indexOf(lineFeed, start);
      const next = found < 0 ? bytes.length : found;
      const end = next > start && bytes[next - 1] === carriageReturn ? next - 1 : next;
      if (end > start) {
        const line = bytes.subarray(start, end);
        this.#lines.push(line.length > this.#maxBytes ? new SkippedLine(line) : line);
      }
      start = next + 1;
    }
  }
}
