import type { ResolvedLimits } from "@tenon/base";

import type { TaskEngineLimits } from "./options.ts";

/** How many runs there are, in all and of each principal. */
export class Slots {
  readonly #limits: ResolvedLimits<TaskEngineLimits>;
  readonly #counts = new Map<string, number>();
  #used = 0;

  /** @param limits - `maxRunning` and `maxRunningPerPrincipal` apply. */
  constructor(limits: ResolvedLimits<TaskEngineLimits>) {
    this.#limits = limits;
  }

  /** Whether a run of some principal may begin. */
  get isFree(): boolean {
    return this.#used < this.#limits.maxRunning;
  }

  /** The principals that have as many runs as they may have. */
  busy(): readonly string[] {
    const { maxRunningPerPrincipal } = this.#limits;
    return [...this.#counts]
      .filter(([principal, count]) => principal !== "" && count >= maxRunningPerPrincipal)
      .map(([principal]) => principal);
  }

  /** Reserves a slot, if one is free for this principal. */
  take(principal: string): boolean {
    const count = this.#counts.get(principal) ?? 0;
    if (!this.isFree || (principal !== "" && count >= this.#limits.maxRunningPerPrincipal)) {
      return false;
    }
    this.#used++;
    this.#counts.set(principal, count + 1);
    return true;
  }

  /** Returns a slot. */
  release(principal: string): void {
    const count = (this.#counts.get(principal) ?? 1) - 1;
    this.#used--;
    if (count === 0) {
      this.#counts.delete(principal);
    } else {
      this.#counts.set(principal, count);
    }
  }
}
