const smallChunk = 4096;
const blockBytes = 65_536;

/**
 * The beginning of an incomplete line. Large chunks are stored unchanged. Small chunks are copied
 * to blocks, so that a line which arrives byte by byte needs no more memory than its length.
 */
export class PartialLine {
  #parts: Uint8Array[] = [];
  #block: Uint8Array | undefined;
  #blockLength = 0;
  #length = 0;

  /** In bytes. */
  get length(): number {
    return this.#length;
  }

  add(chunk: Uint8Array): void {
    this.#length += chunk.length;
    if (chunk.length >= smallChunk) {
      this.#closeBlock();
      this.#parts.push(chunk);
      return;
    }
    if (this.#block === undefined || this.#block.length - this.#blockLength < chunk.length) {
      this.#closeBlock();
      // The first block is small: most beginnings of lines are.
      this.#block = new Uint8Array(this.#parts.length === 0 ? smallChunk : blockBytes);
    }
    this.#block.set(chunk, this.#blockLength);
    this.#blockLength += chunk.length;
  }

  /** Everything added and then `last`, in one piece. Empty afterwards. */
  take(last: Uint8Array): Uint8Array {
    if (this.#length === 0) {
      return last;
    }
    this.#closeBlock();
    const whole = new Uint8Array(this.#length + last.length);
    let at = 0;
    for (const part of this.#parts) {
      whole.set(part, at);
      at += part.length;
    }
    whole.set(last, at);
    this.#parts = [];
    this.#length = 0;
    return whole;
  }

  #closeBlock(): void {
    if (this.#block !== undefined) {
      this.#parts.push(this.#block.slice(0, this.#blockLength));
      this.#block = undefined;
      this.#blockLength = 0;
    }
  }
}
