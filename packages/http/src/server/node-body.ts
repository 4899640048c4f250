import { concat } from "../concat.ts";
import { HttpError } from "../error.ts";
import type { BodyBytes } from "./body-bytes.ts";
import { bodyDeadlines, type Deadline } from "./deadlines.ts";
import type { BodyLimits } from "./exchange.ts";
import { tooLarge } from "./inflate.ts";
import type { NodeRequest } from "./node-types.ts";

const empty = new Uint8Array();
const nobody = (): void => {};

/** A body that is being read. */
export class NodeBody implements Deadline {
  place = -1;
  readonly at: number;
  readonly #limits: BodyLimits;
  readonly #bytes: BodyBytes;
  /** The first chunk. Bodies usually have no other. */
  #first: Uint8Array | undefined;
  #others: Uint8Array[] | undefined;
  #size = 0;
  #settled = false;
  readonly #onData: (chunk: Uint8Array) => void;
  readonly #onEnd: () => void;
  #resolve: (body: Uint8Array) => void = nobody;
  #reject: (error: unknown) => void = nobody;

  constructor(request: NodeRequest, limits: BodyLimits, bytes: BodyBytes) {
    this.#limits = limits;
    this.#bytes = bytes;
    this.at = performance.now() + limits.timeoutMs;
    bodyDeadlines.add(this);
    this.#onData = (chunk) => this.#take(chunk);
    this.#onEnd = () => this.#end();
    request.on("data", this.#onData);
    request.on("end", this.#onEnd);
  }

  /** Removes its listeners from a request that stays open after its body. */
  leave(request: NodeRequest): void {
    request.off?.("data", this.#onData);
    request.off?.("end", this.#onEnd);
  }

  /**
   * Returns the body. Called once.
   *
   * @see Exchange.body
   */
  whole(): Promise<Uint8Array> {
    return new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  expire(): void {
    this.#fail(new HttpError("BODY_TIMEOUT", `The body did not arrive within ${this.#limits.timeoutMs} ms.`));
  }

  /** Whether the whole body was read, or never will be. */
  get isSettled(): boolean {
    return this.#settled;
  }

  /** The client has gone. */
  disconnected(): void {
    if (this.#settled) {
      return;
    }
    this.#fail(clientGone());
  }

  #take(chunk: Uint8Array): void {
    if (this.#settled) {
      return;
    }
    this.#size += chunk.length;
    try {
      if (this.#size > this.#limits.maxBytes) {
        throw tooLarge(this.#limits.maxBytes);
      }
      this.#bytes.grow(this.#size);
    } catch (error) {
      this.#fail(error);
      return;
    }
    if (this.#first === undefined) {
      this.#first = chunk;
    } else {
      this.#others ??= [];
      this.#others.push(chunk);
    }
  }

  #end(): void {
    if (!this.#settled) {
      const [resolve, whole] = [this.#resolve, this.#joined()];
      this.#settle();
      resolve(whole);
    }
  }

  #joined(): Uint8Array {
    const first = this.#first ?? empty;
    return this.#others === undefined ? first : concat([first, ...this.#others], this.#size);
  }

  #fail(error: unknown): void {
    if (!this.#settled) {
      const reject = this.#reject;
      this.#settle();
      this.#bytes.release();
      reject(error);
    }
  }

  #settle(): void {
    this.#settled = true;
    this.#first = undefined;
    this.#others = undefined;
    this.#resolve = nobody;
    this.#reject = nobody;
    bodyDeadlines.delete(this);
  }
}

/** The error for a body whose client has gone. */
export function clientGone(): HttpError {
  return new HttpError("BODY_INCOMPLETE", "The client disconnected before its body was complete.");
}
