import { unref } from "@tenon/http/transport";
import { LocalError } from "@tenon/jsonrpc2/core";
import type { EventStore } from "@tenon/stores";

/** How long a message waits for the store, in milliseconds. */
const defaultWaitMs = 5000;

/** The events of one session in an event store. */
export class EventLog {
  readonly #store: EventStore;
  readonly #sessionId: string;
  readonly #onError: (error: unknown) => void;
  readonly #waitMs: number;
  /** Number of pending writes to the store. */
  #pending = 0;
  /** How many more are, for which nothing waits any longer. */
  #overdue = 0;
  #ended = false;

  /** @param waitMs - How long a message waits for the store, in milliseconds. */
  constructor(
    store: EventStore,
    sessionId: string,
    onError: (error: unknown) => void,
    waitMs: number = defaultWaitMs,
  ) {
    this.#store = store;
    this.#sessionId = sessionId;
    this.#onError = onError;
    this.#waitMs = waitMs;
  }

  /**
   * Stores a message.
   *
   * @returns Its ID; `undefined` if it is not stored, because the store failed or did not respond
   *   to an earlier `append` in time, or because the session has ended and cannot be resumed.
   */
  append(streamId: string, data: string): string | undefined | Promise<string | undefined> {
    if (this.#ended || this.#overdue > 0) {
      return undefined;
    }
    try {
      const kept = this.#store.append({ sessionId: this.#sessionId, streamId }, data);
      return kept instanceof Promise ? this.#inTime(kept) : this.#checked(kept);
    } catch (error) {
      this.#onError(error);
      return undefined;
    }
  }

  /**
   * Ends the session: removes it from the store after all pending writes, so that no event remains.
   * Called once.
   */
  end(): void {
    this.#ended = true;
    this.#forgetIfDone();
  }

  /** Waits for the store, but not forever: the message itself must not be lost with it. */
  #inTime(kept: Promise<string>): Promise<string | undefined> {
    this.#pending++;
    return new Promise((resolve) => {
      let isOverdue = false;
      const timer = setTimeout(() => {
        isOverdue = true;
        this.#pending--;
        this.#overdue++;
        const message = `eventStore.append has not settled within ${this.#waitMs} ms. Until it does, messages of the session are sent without event IDs.`;
        this.#onError(new LocalError("TIMEOUT", message));
        resolve(undefined);
        this.#forgetIfDone();
      }, this.#waitMs);
      unref(timer);
      void this.#settled(kept).then((id) => {
        clearTimeout(timer);
        if (isOverdue) {
          this.#overdue--;
        } else {
          this.#pending--;
        }
        resolve(id);
        this.#forgetIfDone();
      });
    });
  }

  async #settled(kept: Promise<string>): Promise<string | undefined> {
    try {
      return this.#checked(await kept);
    } catch (error) {
      this.#onError(error);
      return undefined;
    }
  }

  /** The ID from the store, which is sent on a separate line. */
  #checked(id: unknown): string | undefined {
    if (typeof id === "string" && /^[!-~]+$/.test(id)) {
      return id;
    }
    const message = `eventStore.append must return a string of visible ASCII; got ${typeof id}.`;
    this.#onError(new LocalError("INVALID_STATE", message));
    return undefined;
  }

  #forgetIfDone(): void {
    if (this.#ended && this.#pending === 0) {
      void this.#forget();
    }
  }

  async #forget(): Promise<void> {
    try {
      await this.#store.deleteSession(this.#sessionId);
    } catch (error) {
      this.#onError(error);
    }
  }
}
