import type { Clock, ResolvedLimits } from "@tenon/base";
import { isRpcError } from "@tenon/jsonrpc2/core";

import type { LaneLimits } from "./limits.ts";
import { oldestOfLargest } from "./oldest-of-largest.ts";

/** The dependencies of {@link KeptOutcomes}. */
interface KeptSetup {
  readonly limits: Pick<ResolvedLimits<LaneLimits>, "maxHeld" | "maxOutcomeBytes" | "maxKeptBytes">;
  readonly clock: Clock;
}

/** An outcome that is kept. */
interface Kept<T> {
  readonly value: T;
  readonly owner: unknown;
  readonly bytes: number;
  timer: unknown;
}

/** Options of {@link KeptOutcomes.keep}. */
interface KeepOptions {
  /** The sender of the call or the task. One owner cannot push out the outcomes of others. */
  readonly owner: unknown;
  readonly bytes: number;
  /** How long it is kept, in milliseconds. */
  readonly ms: number;
}

/** Outcomes of calls or tasks, for requests that arrive again. */
export class KeptOutcomes<T> {
  readonly #setup: KeptSetup;
  /** The oldest first. */
  readonly #kept = new Map<string, Kept<T>>();
  #bytes = 0;

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
   * Keeps an outcome. If there are too many, or they are too large together, the oldest of the
   * owner that has most are forgotten.
   *
   * @returns Whether it is kept.
   */
  keep(id: string, value: T, { owner, bytes, ms }: KeepOptions): boolean {
    const { maxHeld, maxOutcomeBytes, maxKeptBytes } = this.#setup.limits;
    this.forget(id);
    if (bytes > maxOutcomeBytes) {
      return false;
    }
    this.#kept.set(id, { value, owner, bytes, timer: this.#timer(id, ms) });
    this.#bytes += bytes;
    while (this.#kept.size > Math.max(1, maxHeld)) {
      this.forget(this.#largest(() => 1));
    }
    while (this.#bytes > maxKeptBytes) {
      this.forget(this.#largest((kept) => kept.bytes));
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
      this.#bytes -= kept.bytes;
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

/** The size of a result or an error, in UTF-16 code units of JSON. */
export function bytesOf(outcome: unknown): number {
  const { message = "", data = null } = isRpcError(outcome) ? outcome : {};
  return JSON.stringify(isRpcError(outcome) ? [message, data] : outcome)?.length ?? 0;
}
