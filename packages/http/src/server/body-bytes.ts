import { adjustCount } from "@tenon/base";

import { HttpError } from "../error.ts";

/** Bytes of request bodies that one process holds for requests without a complete response. */
const maxBytes = 64 * 1024 * 1024;
/** Bodies up to this length are not counted: the number of requests in flight bounds them. */
const uncounted = 16 * 1024;

let used = 0;
const usedBy = new Map<string, number>();

/**
 * Counts the bytes of one request's body until the response is complete. All requests of the
 * process share a budget of 64 MiB. One sender may hold at most as much as it leaves for others: a
 * single sender gets half. This rule does not apply to requests whose sender is not known.
 */
export class BodyBytes {
  readonly #findSender: (() => string | undefined) | undefined;
  #sender: string | undefined;
  #held = 0;
  #released = false;

  /** @param findSender - Returns the network of the sender. By default, the sender is not known. */
  constructor(findSender?: () => string | undefined) {
    this.#findSender = findSender;
  }

  /** Counts a body that has grown to `size` bytes. @throws `HttpError` `OVERLOADED` */
  grow(size: number): void {
    const more = size - this.#held;
    if (size <= uncounted || more <= 0 || this.#released) {
      return;
    }
    this.#sender ??= this.#findSender?.();
    const own = this.#sender === undefined ? 0 : (usedBy.get(this.#sender) ?? 0) + more;
    // A body that is alone may be longer than the budget: its own limit bounds it.
    if (maxBytes - used - more < own && used > this.#held) {
      const message = "Too many request bodies in flight; try again later.";
      throw new HttpError("OVERLOADED", message);
    }
    this.#add(more);
  }

  /** Whether any bytes are counted. */
  get isCounted(): boolean {
    return this.#held > 0;
  }

  /** Releases all bytes. Bytes that arrive later are not counted. */
  release(): void {
    this.#released = true;
    this.#add(-this.#held);
  }

  #add(bytes: number): void {
    this.#held += bytes;
    used += bytes;
    if (this.#sender !== undefined) {
      adjustCount(usedBy, this.#sender, bytes);
    }
  }
}
