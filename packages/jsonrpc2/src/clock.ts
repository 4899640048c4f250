/** Time as the library sees it. Tests put a virtual one in its place. */
export interface Clock {
  /** Milliseconds on a clock that never goes back. */
  now(): number;
  /**
   * Calls `callback` once after `delayMs`. Where the platform allows it, a pending timer does not keep the process alive.
   *
   * @param keepsAlive - Somebody waits for this one: the process must not end before it. Default `false`.
   */
  setTimeout(callback: () => void, delayMs: number, keepsAlive?: boolean): unknown;
  /** Forgets a timer. Unknown handles are ignored. */
  clearTimeout(handle: unknown): void;
}

/** The clock of the platform. */
export const systemClock: Clock = {
  now: () => performance.now(),
  setTimeout: (callback, delayMs, keepsAlive) => {
    const handle: unknown = setTimeout(callback, delayMs);
    if (
      keepsAlive !== true &&
      typeof handle === "object" &&
      handle !== null &&
      "unref" in handle &&
      typeof handle.unref === "function"
    ) {
      handle.unref();
    }
    return handle;
  },
  clearTimeout: (handle) => {
    clearTimeout(handle as number | undefined);
  },
};
