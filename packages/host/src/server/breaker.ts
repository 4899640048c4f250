import type { Clock, LimitRules, ResolvedLimits } from "@tenon/base";

/** When a server that fails is left alone. */
export interface BreakerOptions {
  /** Number of consecutive failures that open the breaker. `Infinity` disables it. Default: `5`. */
  readonly failureThreshold?: number | undefined;
  /** Time before an open breaker allows one probe, in milliseconds. Default: `30_000`. */
  readonly openMs?: number | undefined;
}

/** The rules of {@link BreakerOptions}. */
export const breakerLimits: LimitRules<BreakerOptions> = { failureThreshold: [5, 1], openMs: [30_000, 0] };

/** `closed`: requests are sent. `open`: they are rejected. `half-open`: one probe decides. */
export type BreakerState = "closed" | "open" | "half-open";

/** The time to wait for the outcome of a probe that another caller has sent, in milliseconds. */
const probeMs = 1000;

/**
 * A circuit breaker. Consecutive failures open it. After a while one caller probes the server, and
 * the outcome closes it or opens it again. A response from the server, even an error response, is
 * not a failure.
 */
export class Breaker {
  readonly #threshold: number;
  readonly #openMs: number;
  readonly #clock: Clock;
  #failures = 0;
  #openedAt: number | undefined;
  #probing = false;

  constructor({ failureThreshold, openMs }: ResolvedLimits<BreakerOptions>, clock: Clock) {
    this.#threshold = failureThreshold;
    this.#openMs = openMs;
    this.#clock = clock;
  }

  get state(): BreakerState {
    if (this.#openedAt === undefined) {
      return "closed";
    }
    return this.#clock.now() - this.#openedAt >= this.#openMs ? "half-open" : "open";
  }

  /** The time until a probe is allowed, in milliseconds. */
  get retryAfterMs(): number {
    const least = this.#probing ? probeMs : 0;
    return Math.max(least, (this.#openedAt ?? -Infinity) + this.#openMs - this.#clock.now());
  }

  /**
   * The decision for a caller: `go`; `probe` (send a probe first, and report its result); or
   * nothing.
   */
  admit(): "go" | "probe" | "refuse" {
    const { state } = this;
    if (state === "closed") {
      return "go";
    }
    if (state === "open" || this.#probing) {
      return "refuse";
    }
    this.#probing = true;
    return "probe";
  }

  /** The server responded. */
  succeed(): void {
    this.#failures = 0;
    this.#openedAt = undefined;
    this.#probing = false;
  }

  /** The server did not respond. */
  fail(): void {
    this.#failures++;
    if (this.#probing || (this.#openedAt === undefined && this.#failures >= this.#threshold)) {
      this.#openedAt = this.#clock.now();
    }
    this.#probing = false;
  }

  /** The result is unknown, because the caller aborted. The next caller may probe. */
  abandon(): void {
    this.#probing = false;
  }
}
