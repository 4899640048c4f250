import { sleep, type Clock } from "@tenon/base";

import { HostError, type Phase } from "../error.ts";
import type { RateLimit } from "../policy/policy.ts";

/**
 * Limits a rate: a bucket of `requests` tokens that is refilled evenly. A caller without a token
 * waits for one, in order; a caller that aborts while waiting has used its token.
 */
export class Throttle {
  readonly #limit: RateLimit | undefined;
  readonly #maxWaiting: number;
  readonly #clock: Clock;
  /** When the bucket is full again. */
  #fullAt = -Infinity;
  #waiting = 0;

  /**
   * @param limit - `undefined` disables the limit.
   * @param maxWaiting - Maximum number of waiting callers.
   * @throws `HostError` `INVALID_OPTION` for a limit that no request could ever meet.
   */
  constructor(limit: RateLimit | undefined, maxWaiting: number, clock: Clock) {
    if (limit !== undefined && !(limit.requests >= 1 && limit.perMs > 0)) {
      const message = `rateLimit must contain requests of at least 1 and perMs above 0; got ${JSON.stringify(limit)}.`;
      throw new HostError("INVALID_OPTION", message, { phase: "config" });
    }
    this.#limit = limit;
    this.#maxWaiting = maxWaiting;
    this.#clock = clock;
  }

  /**
   * Waits for a token and takes it.
   *
   * @throws `HostError` `LIMIT_EXCEEDED` if too many requests are waiting; `signal.reason`.
   */
  async pass(phase: Phase, signal: AbortSignal): Promise<void> {
    if (this.#limit === undefined) {
      return;
    }
    const { requests, perMs } = this.#limit;
    const eachMs = perMs / requests;
    const now = this.#clock.now();
    const fullAt = Math.max(now, this.#fullAt) + eachMs;
    const waitMs = fullAt - now - perMs;
    if (waitMs <= 0) {
      this.#fullAt = fullAt;
      return;
    }
    if (this.#waiting >= this.#maxWaiting) {
      const message = `Too many waiting requests: ${this.#waiting} for the rate limit of ${requests} in ${perMs} ms (policy.limits.maxWaiting).`;
      throw new HostError("LIMIT_EXCEEDED", message, { phase, retryable: true });
    }
    this.#fullAt = fullAt;
    this.#waiting++;
    try {
      await sleep(waitMs, { clock: this.#clock, signal, keepsAlive: true });
    } finally {
      this.#waiting--;
    }
  }
}
