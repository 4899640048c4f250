import type { EventStore } from "./event-store.ts";

/** What one session keeps in an event store. */
export class EventLog {
  readonly #store: EventStore;
  readonly #sessionId: string;
  readonly #onError: (error: unknown) => void;
  /** How many events are on their way into the store. */
  #pending = 0;
  #ended = false;

  constructor(store: EventStore, sessionId: string, onError: (error: unknown) => void) {
    this.#store = store;
    this.#sessionId = sessionId;
    this.#onError = onError;
  }

  /**
   * Keeps a message.
   *
   * @returns Its id; `undefined` if it is not kept, because the store failed or the session has ended: then nobody can come back for it.
   */
  append(streamId: string, data: string): string | undefined | Promise<string | undefined> {
    if (this.#ended) {
      return undefined;
    }
    try {
      const kept = this.#store.append({ sessionId: this.#sessionId, streamId }, data);
      return kept instanceof Promise ? this.#settled(kept) : kept;
    } catch (error) {
      this.#onError(error);
      return undefined;
    }
  }

  /** The session is over: the store forgets it, as soon as nothing is on its way there that would be left behind. Called once. */
  end(): void {
    this.#ended = true;
    this.#forgetIfDone();
  }

  async #settled(kept: Promise<string>): Promise<string | undefined> {
    this.#pending++;
    try {
      return await kept;
    } catch (error) {
      this.#onError(error);
      return undefined;
    } finally {
      this.#pending--;
      this.#forgetIfDone();
    }
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
