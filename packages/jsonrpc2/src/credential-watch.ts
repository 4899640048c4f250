/**
 * Waits until the credentials of a connection change, for transports that log in.
 *
 * @packageDocumentation
 */

import { sleep, type SleepOptions } from "@tenon/base";

import type { Authorization } from "./transport.ts";

/** Wakes a stream that was refused for its credentials when these have changed. */
export class CredentialWatch {
  /**
   * Whether changes are reported. Without reports, a stream has to be opened again after a delay.
   */
  readonly reports: boolean;
  #changes = 0;
  #wake: () => void = () => {};
  readonly #forget: (() => void) | undefined;

  /** Registers a listener, until {@link stop}. */
  constructor(authorization: Authorization | undefined) {
    this.#forget = authorization?.changed?.(() => {
      this.#changes++;
      this.#wake();
    });
    this.reports = this.#forget !== undefined;
  }

  /**
   * How many times the credentials have changed. Compare it with its value before a request: if
   * it differs, the request may have used old credentials.
   */
  get changes(): number {
    return this.#changes;
  }

  /** Waits until the credentials change, at most `ms` milliseconds. @throws `signal.reason` */
  async wait(ms: number, { signal, ...options }: SleepOptions): Promise<void> {
    const waking = new AbortController();
    const wake = (): void => waking.abort();
    this.#wake = wake;
    signal.addEventListener("abort", wake, { once: true });
    if (signal.aborted) {
      wake();
    }
    await sleep(ms, { ...options, signal: waking.signal }).catch(() => {});
    signal.removeEventListener("abort", wake);
    signal.throwIfAborted();
  }

  /** Ends the wait, although the credentials have not changed. */
  wake(): void {
    this.#wake();
  }

  /** Removes the listener. */
  stop(): void {
    this.#forget?.();
  }
}
