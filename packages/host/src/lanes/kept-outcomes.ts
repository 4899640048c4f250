import type { Clock, ResolvedLimits } from "@tenon/base";
import { isRpcError } from "@tenon/jsonrpc2/core";

import type { LaneLimits } from "./limits.ts";
import { oldestOfLargest } from "./oldest-of-largest.ts";

/** The dependencies of {@link KeptOutcomes}. */
interface KeptSetup {
  readonly limits: Pick<ResolvedLimits<LaneLimits>, "maxHeld" | "maxOutcomeLength" | "maxKeptLength">;
  readonly clock: Clock;
}

/** An outcome that is kept. */
interface Kept<T> {
  readonly value: T;
  readonly owner: unknown;
  readonly length: number;
  timer: unknown;
}

/** Options of {@link KeptOutcomes.keep}. */
interface KeepOptions {
  /** The sender of the call or the task. One owner cannot push out the outcomes of others. */
  readonly owner: unknown;
  /** In characters of JSON. */
  readonly length: number;
  /** How long it is kept, in milliseconds. */
  readonly ms: number;
}

/** Outcomes of calls or tasks, for requests that arrive again. */
export class KeptOutcomes<T> {
  readonly #setup: KeptSetup;
  /** The oldest first. */
  readonly #kept = new Map<string, Kept<T>>();
  #length = 0;

  constructor(setup: KeptSetup) {
    this.#setup = setup;
  }

  get size(): number {
    return this.#kept.size;
  }

  has(id: string): boolean {
    return this.#kept.has(id);
  }

  get(id: string): T | undefined {
    return this.#kept.get(id)?.value;
  }

  /**
   * Keeps an outcome. If there are too many, or they are too long together, the oldest of the
   * owner that has most are forgotten.
   *
   * @returns Whether it is kept.
   */
  keep(id: string, value: T, { owner, length, ms }: KeepOptions): boolean {
    const { maxHeld, maxOutcomeLength, maxKeptLength } = this.#setup.limits;
    this.forget(id);
    if (length > maxOutcomeLength) {
      return false;
    }
    this.#kept.set(id, { value, owner, length, timer: this.#timer(id, ms) });
    this.#length += length;
    while (this.#kept.size > Math.max(1, maxHeld)) {
      this.forget(this.#largest(() => 1));
    }
    while (this.#length > maxKeptLength) {
      this.forget(this.#largest((kept) => kept.length));
    }
    return this.#kept.has(id);
  }

  /** Keeps an outcome for this long from now on, if it is kept. */
  restart(id: string, ms: number): void {
    const kept = this.#kept.get(id);
    if (kept !== undefined) {
      this.#setup.clock.clearTimeout(kept.timer);
      kept.timer = this.#timer(id, ms);
    }
  }

  forget(id: string): void {
    const kept = this.#kept.get(id);
    if (kept !== undefined) {
      this.#setup.clock.clearTimeout(kept.timer);
      this.#kept.delete(id);
      this.#length -= kept.length;
    }
  }

  clear(): void {
    [...this.#kept.keys()].forEach((id) => this.forget(id));
  }

  #timer(id: string, ms: number): unknown {
    return this.#setup.clock.setTimeout(() => this.forget(id), ms, false);
  }

  #largest(weigh: (kept: Kept<T>) => number): string {
    return oldestOfLargest([...this.#kept].map(([id, kept]) => [id, kept.owner, weigh(kept)] as const)) ?? "";
  }
}

/** The length of a result or an error, in characters of JSON. */
export function lengthOf(outcome: unknown): number {
  const { message = "", data = null } = isRpcError(outcome) ? outcome : {};
  return JSON.stringify(isRpcError(outcome) ? [message, data] : outcome)?.length ?? 0;
}
