import { isThenable } from "@tenon/base";

import { stateKey, type StateKey } from "../../../base/state.ts";

/**
 * Maximum number of different subjects whose handlers run at a time, and length of their names.
 * Handlers beyond it are not coalesced.
 */
const maxSubjects = 1024;
const maxSubjectLength = 8192;

/** A running handler, and the function that repeats the call for later changes. */
interface Running {
  again: (() => unknown) | undefined;
}

/**
 * Calls the handlers of changes, one at a time per subject. A server may send thousands of changes
 * while a handler reads the list again: all that come while it runs become one further call, and
 * changes of other subjects do not wait for it.
 */
export class ChangeCalls {
  readonly #running = new Map<string, Running>();

  /**
   * Calls a handler. If the handler is running, it is called once more afterwards.
   *
   * @param subject - Equal for changes that share one call.
   * @param onError - Called with the rejection of an asynchronous handler.
   * @returns The promise of a handler that is not coalesced because there are too many.
   */
  call(subject: string, handler: () => unknown, onError: (error: unknown) => void): unknown {
    const running = this.#running.get(subject);
    if (running !== undefined) {
      running.again = handler;
      return undefined;
    }
    const returned = handler();
    if (!isThenable(returned) || this.#running.size >= maxSubjects || subject.length > maxSubjectLength) {
      return returned;
    }
    const entry: Running = { again: undefined };
    this.#running.set(subject, entry);
    void this.#follow(subject, entry, returned, onError);
    return undefined;
  }

  async #follow(
    subject: string,
    entry: Running,
    first: PromiseLike<unknown>,
    onError: (error: unknown) => void,
  ): Promise<void> {
    let current: unknown = first;
    for (;;) {
      try {
        await current;
      } catch (error) {
        onError(error);
      }
      const { again } = entry;
      if (again === undefined) {
        this.#running.delete(subject);
        return;
      }
      entry.again = undefined;
      current = (async () => again())();
    }
  }
}

/** The {@link ChangeCalls} of a client session. */
export const changeCalls: StateKey<ChangeCalls> = stateKey(() => new ChangeCalls());
