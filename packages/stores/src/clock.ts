/** Determines the date for stores in the memory or the files of one machine. */
export interface StoreClock {
  /** Returns milliseconds since 1970. */
  date(): number;
}

/** Returns a function that reads a clock, or the platform's, and never goes backwards. */
export function steadyDate(clock: StoreClock | undefined): () => number {
  let last = 0;
  return () => {
    last = Math.max(last, clock === undefined ? Date.now() : clock.date());
    return last;
  };
}
