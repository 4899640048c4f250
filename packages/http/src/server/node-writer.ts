import { Deadlines, type Deadline } from "./deadlines.ts";
import type { NodeRequest, NodeResponse } from "./node-types.ts";
import { setUnread, type UnreadAnswer } from "./unread.ts";

/**
 * The size of a piece of a response. When the next piece can be written, the client has read the
 * previous one.
 */
const pieceBytes = 128 * 1024;
/**
 * The operating system accepts a rest of a response that is shorter than this, in bytes, even if
 * the client does not read.
 */
const maxTaken = 64 * 1024;

const answerDeadlines: Deadlines = /* @__PURE__ */ new Deadlines();

/** Writes a response to a client that may read slowly, or not at all. */
export class NodeWriter implements Deadline, UnreadAnswer {
  place = -1;
  at: number = Infinity;
  movedAt: number = performance.now();
  readonly address: string;
  readonly #response: NodeResponse;
  readonly #stallMs: number;
  readonly #onDrain: () => void;
  #pieces: Uint8Array[] = [];
  #queued = 0;
  /**
   * Text that is passed on at the end of the turn, because a chunk for each text would cost more
   * than the text.
   */
  #text = "";
  #isTurnEnding = false;
  /** Whether the response has taken all it wants for now. */
  #isFull = false;
  #isEnding = false;
  #isCounted = false;
  #isOver = false;

  /**
   * Creates a writer for a response whose headers are written.
   *
   * @param stallMs - How long the client may leave a complete response unread before it is aborted,
   *   in milliseconds.
   * @param onDrain - Called when all written bytes were accepted, or never will be.
   */
  constructor(request: NodeRequest, response: NodeResponse, stallMs: number, onDrain: () => void) {
    this.address = request.socket?.remoteAddress ?? "";
    this.#response = response;
    this.#stallMs = stallMs;
    this.#onDrain = onDrain;
    response.on("drain", () => this.#drained());
    response.on("close", () => this.#stop());
    response.on("finish", () => this.#stop());
  }

  /** Bytes that were written but not yet accepted by the network. */
  get buffered(): number {
    return this.#queued + this.#text.length + this.#response.writableLength;
  }

  /** Writes text at the end of the turn, or as soon as there are more than 64 KiB of it. */
  write(text: string): void {
    if (this.#isOver) {
      return;
    }
    this.#text += text;
    if (this.#text.length > maxTaken) {
      this.#enqueue(this.#takeText());
    } else if (!this.#isTurnEnding) {
      this.#isTurnEnding = true;
      process.nextTick(endTurn, this);
    }
    this.#count();
  }

  /** Passes on the text of the turn. */
  endTurn(): void {
    this.#isTurnEnding = false;
    if (!this.#isOver) {
      this.#push();
      this.#tellDrained();
    }
  }

  /** Completes the response. */
  end(): void {
    this.#isEnding = true;
    this.#push();
    this.#count();
    if (this.#isCounted) {
      this.#moved();
      answerDeadlines.add(this);
    }
  }

  /** Completes the response with these bytes. */
  endWith(bytes: Uint8Array): void {
    this.#enqueue(bytes);
    this.end();
  }

  abort(): void {
    this.#stop();
    this.#response.destroy();
  }

  expire(): void {
    this.abort();
  }

  #enqueue(bytes: Uint8Array): void {
    for (let start = 0; start < bytes.length; start += pieceBytes) {
      this.#pieces.push(bytes.subarray(start, start + pieceBytes));
    }
    this.#queued += bytes.length;
    this.#push();
  }

  #takeText(): Uint8Array {
    const text = this.#text;
    this.#text = "";
    return Buffer.from(text);
  }

  #push(): void {
    let taken = 0;
    for (const piece of this.#pieces) {
      if (this.#isFull) {
        break;
      }
      taken++;
      this.#queued -= piece.length;
      this.#isFull = !this.#response.write(piece);
    }
    if (taken > 0) {
      this.#pieces = this.#pieces.slice(taken);
    }
    if (this.#pieces.length === 0) {
      this.#pushText();
    }
  }

  #pushText(): void {
    const text = this.#text;
    if (text !== "" && !this.#isFull) {
      this.#text = "";
      this.#isFull = !this.#response.write(text);
    }
    if (this.#isEnding && this.#text === "") {
      this.#isEnding = false;
      this.#response.end();
    }
  }

  #drained(): void {
    if (this.#isOver) {
      return;
    }
    this.#isFull = false;
    this.#moved();
    this.#push();
    this.#count();
    this.#tellDrained();
  }

  #tellDrained(): void {
    if (this.#queued === 0 && this.#text === "" && !this.#isFull) {
      this.#onDrain();
    }
  }

  #moved(): void {
    this.movedAt = performance.now();
    this.at = this.movedAt + this.#stallMs;
  }

  /** Counts only bytes that wait: responses that are read at once are never counted. */
  #count(): void {
    if (this.#isOver) {
      return;
    }
    const { buffered } = this;
    const isLong = buffered > maxTaken;
    if (isLong && !this.#isCounted) {
      this.#moved();
    }
    if (isLong || this.#isCounted) {
      this.#isCounted = isLong;
      setUnread(this, isLong ? buffered : 0);
    }
  }

  #stop(): void {
    this.#isOver = true;
    answerDeadlines.delete(this);
    this.#pieces = [];
    this.#queued = 0;
    this.#text = "";
    if (this.#isCounted) {
      this.#isCounted = false;
      setUnread(this, 0);
    }
  }
}

function endTurn(writer: NodeWriter): void {
  writer.endTurn();
}
