/** Time as the library sees it. Tests put a virtual one in its place. */
export interface Clock {
  /** Milliseconds on a clock that never goes back. */
  now(): number;
  /**
   * Calls `callback` once after `delayMs`. Where the platform allows it, a pending timer does not keep the process alive.
   *
   * @param delayMs - In milliseconds; `Infinity` and other delays of more than 2^31 − 1 come as they are. The timers of platforms make 1 ms of those: who
   *   passes them on has to shorten them to 2^31 − 1, about 25 days, after which the callback may as well come.
   * @param keepsAlive - Somebody waits for this one: the process must not end before it. Default `false`.
   */
  setTimeout(callback: () => void, delayMs: number, keepsAlive?: boolean): unknown;
  /** Forgets a timer. Unknown handles are ignored. */
  clearTimeout(handle: unknown): void;
  /**
   * Changes whether a pending timer keeps the process alive, which costs far less than to forget it and to set another. Optional: without it, or where it
   * cannot be done, timers that nobody waits for any more are forgotten.
   *
   * @returns False where the platform does not allow it.
   */
  keepAlive?(handle: unknown, keepsAlive: boolean): boolean;
}

/** A timer as Node and its like have it. */
interface HeldTimer {
  ref(): unknown;
  unref(): unknown;
}

/** The longest delay of platforms, 25 days; of a longer one, `Infinity` included, they make 1 ms. */
const longest = 0x7fff_ffff;

/** The clock of the platform. */
export const systemClock: Clock & { keepAlive(handle: unknown, keepsAlive: boolean): boolean } = {
  now: () => performance.now(),
  setTimeout: (callback, delayMs, keepsAlive = false) => {
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
