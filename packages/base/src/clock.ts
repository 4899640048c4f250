/** Time as the library sees it. Tests put a virtual one in its place. */
export interface Clock {
  /** Milliseconds on a monotonic clock. */
  now(): number;
  /**
   * Calls `callback` once after `delayMs`.
   *
   * @param delayMs - In milliseconds. It may be `Infinity` or exceed 2^31 − 1 (about 25 days).
   *   Timers of platforms treat such delays as 1 ms, so an implementation must shorten them to 2^31
   *   − 1.
   * @param keepsAlive - Whether the process must not end before the timer fires, on platforms that
   *   can tell. There is no default: `true` wherever a caller waits for the timer, even if only for
   *   the end of its time.
   */
  setTimeout(callback: () => void, delayMs: number, keepsAlive: boolean): unknown;
  /** Forgets a timer. Unknown handles are ignored. */
  clearTimeout(handle: unknown): void;
  /**
   * Changes whether a pending timer keeps the process alive, which costs far less than clearing it
   * and setting another. Optional: if it is missing or returns false, the timer is cleared instead.
   *
   * @returns False if the platform does not support it.
   */
  keepAlive?(handle: unknown, keepsAlive: boolean): boolean;
}

/** A timer as Node and its like have it. */
interface HeldTimer {
  ref(): unknown;
  unref(): unknown;
}

/**
 * The longest delay that platforms support, 25 days. They treat longer delays, including
 * `Infinity`, as 1 ms.
 */
const longest = 0x7fff_ffff;

/** The clock of the platform. */
export const systemClock: Clock & { keepAlive(handle: unknown, keepsAlive: boolean): boolean } = {
  now: () => performance.now(),
  setTimeout: (callback, delayMs, keepsAlive) => {
    const handle: unknown = setTimeout(callback, Math.min(delayMs, longest));
    systemClock.keepAlive(handle, keepsAlive);
    return handle;
  },
  clearTimeout: (handle) => {
    clearTimeout(handle as number | undefined);
  },
  // Elsewhere timers are numbers, which have neither method.
  keepAlive: (handle, keepsAlive) =>
    (handle as Partial<HeldTimer>)[keepsAlive ? "ref" : "unref"]?.() !== undefined,
};
