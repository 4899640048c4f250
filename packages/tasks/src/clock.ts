import { systemClock, type Clock } from "@tenon/base";

/** A {@link Clock} that also knows the date. */
export interface TaskClock extends Clock {
  /** Milliseconds since 1970. Default: `Date.now`. */
  date?(): number;
}

/** Returns the function that reads the date of a clock. */
export function dateOf(clock: TaskClock = systemClock): () => number {
  return clock.date?.bind(clock) ?? Date.now;
}
