import { isLocalError } from "@tenon/jsonrpc2/core";

/** Writes one change; settles when the transport has accepted it. */
type Write = (method: string, params: object | undefined) => Promise<void>;

/** A change in the form in which it is sent. */
interface Change {
  readonly method: string;
  readonly params: object | undefined;
}

/**
 * Sends changes to one reader, one at a time. While a write waits for a slow reader, equal changes
 * become one, so there are never more waiting than there are different ones.
 */
export class Outlet {
  readonly #write: Write;
  readonly #onError: (error: unknown) => void;
  /** Absent while nothing waits: most readers have nothing to read most of the time. */
  #waiting: Map<string, Change> | undefined;
  #busy: boolean;

  /** @param held - Keeps changes back until {@link Outlet.open}. */
  constructor(write: Write, onError: (error: unknown) => void, held = false) {
    this.#write = write;
    this.#onError = onError;
    this.#busy = held;
  }

  /** Sends, or queues. @param key - Equal for equal changes. */
  push(key: string, method: string, params: object | undefined): void {
    this.#waiting ??= new Map();
    this.#waiting.set(key, { method, params });
    if (!this.#busy) {
      this.open();
    }
  }

  /**
   * Sends the queued notifications. A disconnected reader is not an error, because no receiver is
   * left.
   */
  open(): void {
    this.#drain().catch((error: unknown) => {
      if (!isLocalError(error, "CONNECTION_CLOSED")) {
        this.#onError(error);
      }
    });
  }

  async #drain(): Promise<void> {
    this.#busy = true;
    try {
      const waiting = this.#waiting ?? [];
      for (const [key, { method, params }] of waiting) {
        this.#waiting?.delete(key);
        await this.#write(method, params);
      }
    } finally {
      this.#busy = false;
      if (this.#waiting?.size === 0) {
        this.#waiting = undefined;
      }
    }
  }
}
