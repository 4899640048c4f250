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
  /** @see Exchange.body */
  readonly whole: Promise<Uint8Array>;
  readonly #limits: BodyLimits;
  readonly #bytes: BodyBytes;
  /** The first chunk. Bodies usually have no other. */
  #first: Uint8Array | undefined;
  #others: Uint8Array[] | undefined;
  #size = 0;
  #settled = false;
  #resolve: (body: Uint8Array) => void = nobody;
  #reject: (error: unknown) => void = nobody;

  constructor(request: NodeRequest, limits: BodyLimits, bytes: BodyBytes) {
    this.#limits = limits;
    this.#bytes = bytes;
    this.at = performance.now() + limits.timeoutMs;
    this.whole = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    bodyDeadlines.add(this);
    request.on("data", (chunk) => this.#take(chunk));
    request.on("end", () => this.#end());
  }

  expire(): void {
    this.#fail(new HttpError("BODY_TIMEOUT", `The body did not arrive within ${this.#limits.timeoutMs} ms.`));
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
      this.#settle();
      this.#resolve(this.#whole());
    }
  }

  #whole(): Uint8Array {
    const first = this.#first ?? empty;
    return this.#others === undefined ? first : concat([first, ...this.#others], this.#size);
  }

  #fail(error: unknown): void {
    if (!this.#settled) {
      this.#settle();
      this.#bytes.release();
      this.#first = undefined;
      this.#others = undefined;
      this.#reject(error);
    }
  }

  #settle(): void {
    this.#settled = true;
    bodyDeadlines.delete(this);
  }
}

/** The error for a body whose client has gone. */
export function clientGone(): HttpError {
  return new HttpError("BODY_INCOMPLETE", "The client disconnected before its body was complete.");
}
