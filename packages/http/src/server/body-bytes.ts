import { HttpError } from "../error.ts";

/** Bytes of request bodies that one process holds for requests without a complete response. */
const maxBytes = 64 * 1024 * 1024;
/** Bodies up to this length are not counted: the number of requests in flight bounds them. */
const uncounted = 16 * 1024;

let used = 0;
const usedBy = new Map<string, number>();

/** The address that a request comes from. */
interface Origin {
  readonly socket?: { readonly remoteAddress?: string | undefined } | null | undefined;
}

/**
 * Counts the bytes of one request's body until the response is complete. All requests of the
 * process share a budget of 64 MiB. One address may hold at most as much as it leaves for others: a
 * single address gets half. This rule does not apply to requests without an address.
 */
export class BodyBytes {
  readonly #origin: Origin;
  #address: string | undefined;
  #held = 0;
  #released = false;

  constructor(origin: Origin) {
    this.#origin = origin;
  }

  /** Counts a body that has grown to `size` bytes. @throws `HttpError` `OVERLOADED` */
  grow(size: number): void {
    const more = size - this.#held;
    if (size <= uncounted || more <= 0 || this.#released) {
      return;
    }
    this.#address ??= this.#origin.socket?.remoteAddress;
    const own = this.#address === undefined ? 0 : (usedBy.get(this.#address) ?? 0) + more;
    // A body that is alone may be longer than the budget: its own limit bounds it.
    if (maxBytes - used - more < own && used > this.#held) {
      const message = "Too many bytes of request bodies are in flight; try again later.";
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
    if (this.#address !== undefined) {
      const own = (usedBy.get(this.#address) ?? 0) + bytes;
      if (own > 0) {
        usedBy.set(this.#address, own);
      } else {
        usedBy.delete(this.#address);
      }
    }
  }
}
