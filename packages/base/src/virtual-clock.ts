import type { Clock } from "./clock.ts";

/** A {@link Clock} that advances only when a test calls its methods. */
export interface VirtualClock extends Clock {
  /**
   * Advances the time by `ms` milliseconds and runs the timers that become due, in their order.
   */
  advance(ms: number): void;
  /** How many timers are set. */
  readonly timers: number;
}

/** Creates a {@link VirtualClock} that starts at 0. */
export function createVirtualClock(): VirtualClock {
  const timers = new Map<number, { readonly at: number; readonly callback: () => void }>();
  let now = 0;
  let lastHandle = 0;

  function earliest(until: number): number | undefined {
    let found: { handle: number; at: number } | undefined;
    for (const [handle, { at }] of timers) {
      if (at <= until && (found === undefined || at < found.at)) {
        found = { handle, at };
      }
    }
    return found?.handle;
  }

  return {
    now: () => now,
    setTimeout(callback, delayMs) {
      lastHandle++;
      timers.set(lastHandle, { at: now + Math.max(0, delayMs), callback });
      return lastHandle;
    },
    clearTimeout(handle) {
      timers.delete(handle as number);
    },
    advance(ms) {
      const until = now + ms;
      for (let handle = earliest(until); handle !== undefined; handle = earliest(until)) {
        const timer = timers.get(handle);
        timers.delete(handle);
        now = Math.max(now, timer?.at ?? now);
        timer?.callback();
      }
      now = until;
    },
    get timers() {
      return timers.size;
    },
  };
}
