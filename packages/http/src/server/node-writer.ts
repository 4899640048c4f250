import { Deadlines, type Deadline } from "./deadlines.ts";
import type { ByteSink } from "./exchange.ts";
import type { NodeRequest, NodeResponse } from "./node-types.ts";
import { senderNetwork } from "./sender-network.ts";
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

/** A part of bytes that were written. */
interface Piece {
  readonly bytes: Uint8Array;
  /** How much memory is released with the piece: all of the bytes with the last one of them. */
  readonly frees: number;
}

/** Shared by the writers without pieces, which are most. */
const none: readonly Piece[] = [];

const answerDeadlines: Deadlines = /* @__PURE__ */ new Deadlines();

/** Writes a response to a client that may read slowly, or not at all. */
export class NodeWriter implements ByteSink, Deadline, UnreadAnswer {
  place = -1;
  at: number = Infinity;
  movedAt: number = performance.now();
  readonly #request: NodeRequest;
  readonly #response: NodeResponse;
  readonly #stallMs: number;
  #onDrain: (() => void) | undefined;
  /** While its bytes are counted: a closed socket has no address. */
  #network: string | undefined;
  #pieces: readonly Piece[] = none;
  #queued = 0;
  /** Bytes in memory: the last piece of a long response keeps the whole response. */
  #pinned = 0;
  /** How many of these are released when the response has been read so far. */
  #leaving = 0;
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
   * Creates a writer for a response whose headers are written. The caller must call `stop` when the
   * response has been closed. Most streams have nothing to write most of the time, so the writer
   * listens to the response only while it waits for something.
   *
   * @param stallMs - How long the client may leave a complete response unread before it is aborted,
   *   in milliseconds.
   */
  constructor(request: NodeRequest, response: NodeResponse, stallMs: number) {
    this.#request = request;
    this.#response = response;
    this.#stallMs = stallMs;
  }

  get network(): string {
    return this.#network ?? senderNetwork(this.#request.socket) ?? "";
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

  onDrain(callback: () => void): void {
    this.#onDrain = callback;
  }

  /** Completes the response. */
  end(): void {
    if (this.#isOver || this.#isEnding) {
      return;
    }
    this.#isEnding = true;
    this.#response.on("finish", () => this.stop());
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
    this.stop();
    this.#response.destroy();
  }

  expire(): void {
    this.abort();
  }

  #enqueue(bytes: Uint8Array): void {
    const pieces = [...this.#pieces];
    for (let start = 0; start < bytes.length; start += pieceBytes) {
      const frees = start + pieceBytes < bytes.length ? 0 : bytes.length;
      pieces.push({ bytes: bytes.subarray(start, start + pieceBytes), frees });
    }
    this.#pinned += bytes.length;
    this.#pieces = pieces;
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
    for (const { bytes, frees } of this.#pieces) {
      if (this.#isFull) {
        break;
      }
      taken++;
      this.#queued -= bytes.length;
      this.#send(bytes);
      if (this.#isFull) {
        this.#leaving += frees;
      } else {
        this.#pinned -= frees;
      }
    }
    if (taken > 0) {
      this.#pieces = taken === this.#pieces.length ? none : this.#pieces.slice(taken);
    }
    if (this.#pieces.length === 0) {
      this.#pushText();
    }
  }

  #pushText(): void {
    const text = this.#text;
    if (text !== "" && !this.#isFull) {
      this.#text = "";
      this.#send(text);
    }
    if (this.#isEnding && this.#text === "") {
      this.#isEnding = false;
      this.#response.end();
    }
  }

  #send(piece: string | Uint8Array): void {
    this.#isFull = !this.#response.write(piece);
    if (this.#isFull) {
      this.#response.once("drain", () => this.#drained());
    }
  }

  #drained(): void {
    if (this.#isOver) {
      return;
    }
    this.#isFull = false;
    this.#pinned -= this.#leaving;
    this.#leaving = 0;
    this.#moved();
    this.#push();
    this.#count();
    this.#tellDrained();
  }

  #tellDrained(): void {
    if (this.#queued === 0 && this.#text === "" && !this.#isFull) {
      this.#tell();
    }
  }

  #tell(): void {
    const callback = this.#onDrain;
    this.#onDrain = undefined;
    callback?.();
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
    // A long response stays in memory as a whole until its last piece is read.
    const unread = Math.max(this.buffered, this.#pinned + this.#text.length);
    const isLong = unread > maxTaken;
    if (isLong && !this.#isCounted) {
      this.#network = this.network;
      this.#moved();
    }
    if (isLong || this.#isCounted) {
      this.#isCounted = isLong;
      setUnread(this, isLong ? unread : 0);
    }
  }

  /** Drops what was not written. Idempotent. */
  stop(): void {
    this.#isOver = true;
    answerDeadlines.delete(this);
    this.#pieces = none;
    this.#queued = 0;
    this.#pinned = 0;
    this.#text = "";
    if (this.#isCounted) {
      this.#isCounted = false;
      setUnread(this, 0);
    }
    this.#tell();
  }
}

function endTurn(writer: NodeWriter): void {
  writer.endTurn();
}
