import { Roster, type Enrolled } from "@tenon/base";

import { unref } from "./unref.ts";

/** Tasks with a deadline. */
export interface Deadline extends Enrolled {
  /** On the clock of `performance.now()`, in milliseconds. */
  readonly at: number;
  expire(): void;
}

const sweepMs = 500;

/**
 * Deadlines that are hardly ever reached, watched by one timer: one for each request would cost
 * more than most of its handling. They are noticed up to half a second late.
 */
export class Deadlines {
  readonly #members = new Roster<Deadline>();
  #timer: ReturnType<typeof setInterval> | undefined;

  add(deadline: Deadline): void {
    this.#members.add(deadline);
    if (this.#timer === undefined) {
      this.#timer = setInterval(() => this.#sweep(), sweepMs);
      unref(this.#timer);
    }
  }

  delete(deadline: Deadline): void {
    this.#members.delete(deadline);
  }

  #sweep(): void {
    if (this.#members.size === 0) {
      clearInterval(this.#timer);
      this.#timer = undefined;
    }
    const now = performance.now();
    for (const deadline of this.#members.members()) {
      if (deadline.at <= now) {
        this.#members.delete(deadline);
        deadline.expire();
      }
    }
  }
}

/** The deadlines of request bodies. */
export const bodyDeadlines: Deadlines = /* @__PURE__ */ new Deadlines();
