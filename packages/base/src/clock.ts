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
   * @param keepsAlive - Whether the timer keeps the process alive, on platforms that support this.
   *   There is no default. Pass `true` whenever a caller waits for the timer, even if the timer is
   *   only a timeout.
   */
  setTimeout(callback: () => void, delayMs: number, keepsAlive: boolean): unknown;
  /** Cancels a timer. Unknown handles are ignored. */
  clearTimeout(handle: unknown): void;
  /**
   * Changes whether a pending timer keeps the process alive, which costs far less than clearing it
   * and setting another. Optional: if it is missing or returns false, the timer is cleared instead.
   *
   * @returns False if the platform does not support it.
   */
  keepAlive?(handle: unknown, keepsAlive: boolean): boolean;
}

/** A timer object, as in Node and compatible runtimes. */
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
