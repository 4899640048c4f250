import type { Clock } from "@tenon/base";

import type { LaneCaller } from "./caller.ts";
import type { OpenCall, Question } from "./open-call.ts";
import { noCaller } from "./refusals.ts";

/** A connection whose server requests roots. */
interface RootsOwner {
  /** `undefined` if all callers share the connection. */
  readonly caller: LaneCaller | undefined;
  readonly calls: Set<OpenCall>;
}

/**
 * The requests for roots on one connection. Servers request roots outside of calls too: after the
 * handshake, and after a change. These are the roots of the owner of the connection. A modern
 * client gets the request with its next call.
 */
export class LaneRoots {
  readonly #owner: RootsOwner;
  readonly #clock: Clock;
  /** Wakes the requests that came outside of a call, and wait for the next call. */
  readonly #wakes = new Set<() => void>();
  #isAsked = false;
  #isGiven = false;
  /** Ends the wait of {@link settled}. */
  #endWait: () => void = () => {};
  #settled: Promise<void> | undefined;

  constructor(owner: RootsOwner, clock: Clock) {
    this.#owner = owner;
    this.#clock = clock;
  }

  /**
   * Resolves when the server has got the roots, has not requested them for `waitMs` milliseconds,
   * or needs none.
   */
  settled(waitMs: number): Promise<void> {
    return (this.#settled ??=
      this.#isGiven || this.#owner.caller?.inputs.roots === undefined
        ? Promise.resolve()
        : new Promise((resolve) => {
            const timer = this.#clock.setTimeout(() => this.#isAsked || resolve(), waitMs, true);
            this.#endWait = () => {
              this.#clock.clearTimeout(timer);
              resolve();
            };
          }));
  }

  /** Called when the server has got the roots, or will not get them. */
  given(): void {
    this.#isGiven = true;
    this.#endWait();
  }

  /** Sends the requests that wait for a call. */
  callAdded(): void {
    this.#wakes.forEach((wake) => wake());
  }

  /**
   * Sends a request for roots to the client that it belongs to.
   *
   * @param first - The call that caused it, if it is known.
   */
  async ask(question: Question, first: OpenCall | undefined): Promise<unknown> {
    this.#isAsked = true;
    try {
      return await this.#ask(question, first);
    } finally {
      this.given();
    }
  }

  async #ask(question: Question, first: OpenCall | undefined): Promise<unknown> {
    const { caller, calls } = this.#owner;
    // If a lane has a caller, it has no calls of others.
    const own = (): OpenCall | undefined => (caller === undefined ? undefined : [...calls].at(-1));
    for (let call = first ?? own(); ; call = own()) {
      if (call !== undefined) {
        try {
          return await call.ask(question);
        } catch (error) {
          if (!(call.isOver || call.stop.signal.aborted) || question.signal.aborted) {
            throw error;
          }
        }
        calls.delete(call);
      } else if (caller === undefined) {
        throw noCaller(question.method);
      } else if (caller.session === undefined) {
        await this.#nextCall(question.signal);
      } else {
        return caller.session.request(question.method, {}, { signal: question.signal });
      }
    }
  }

  #nextCall(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const end = (settle: () => void) => (): void => {
        this.#wakes.delete(wake);
        signal.removeEventListener("abort", abort);
        settle();
      };
      const wake = end(resolve);
      const abort = end(() => reject(signal.reason));
      signal.addEventListener("abort", abort, { once: true });
      this.#wakes.add(wake);
    });
  }
}
