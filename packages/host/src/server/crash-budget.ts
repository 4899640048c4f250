import type { LimitRules, ResolvedLimits } from "@tenon/base";

/** Limits for reconnecting a server. */
export interface ReconnectOptions {
  /**
   * Maximum number of consecutive attempts before the server fails. With `0` a server fails as soon
   * as its connection is lost. Default: `5`.
   *
   * @source S-263
   */
  readonly maxRetries?: number | undefined;
  /**
   * Maximum delay before the first attempt, in milliseconds. It doubles with each attempt; its
   * second half is random. Default: `1000`.
   */
  readonly initialDelayMs?: number | undefined;
  /** Maximum delay before any attempt, in milliseconds. Default: `60_000`. */
  readonly maxDelayMs?: number | undefined;
  /**
   * Maximum number of lost connections within `crashWindowMs`. With one more the server fails.
   * Default: `5`.
   */
  readonly maxCrashes?: number | undefined;
  /** Time over which lost connections are counted, in milliseconds. Default: `180_000`. */
  readonly crashWindowMs?: number | undefined;
}

/** {@link ReconnectOptions}, filled in. */
export type Reconnect = ResolvedLimits<ReconnectOptions>;

/** The rules of {@link ReconnectOptions}. */
export const reconnectLimits: LimitRules<ReconnectOptions> = {
  maxRetries: [5, 0],
  initialDelayMs: [1000, 0],
  maxDelayMs: [60_000, 0],
  maxCrashes: [5, 0],
  crashWindowMs: [180_000, 0],
};

/** Counts losses within a window of time. */
export class CrashBudget {
  readonly #times: number[] = [];
  readonly #limits: Reconnect;

  constructor(limits: Reconnect) {
    this.#limits = limits;
  }

  /** Records a disconnection. Returns whether the budget still allows to reconnect. */
  spend(now: number): boolean {
    this.#times.push(now);
    const before = now - this.#limits.crashWindowMs;
    while (this.#times[0] !== undefined && this.#times[0] <= before) {
      this.#times.shift();
    }
    return this.#times.length <= this.#limits.maxCrashes;
  }

  /** Forgets all losses. */
  reset(): void {
    this.#times.length = 0;
  }
}
