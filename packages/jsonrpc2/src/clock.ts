/** Time as the library sees it. Tests put a virtual one in its place. */
export interface Clock {
  /** Milliseconds on a clock that never goes back. */
  now(): number;
  /** Calls `callback` once after `delayMs`. A pending timer does not keep the process alive where the platform allows it. */
  setTimeout(callback: () => void, delayMs: number): unknown;
  /** Forgets a timer. Unknown handles are ignored. */
  clearTimeout(handle: unknown): void;
}

/** The clock of the platform. */
export const systemClock: Clock = {
  now: () => performance.now(),
  setTimeout: (callback, delayMs) => {
    const handle: unknown = setTimeout(callback, delayMs);
    if (
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
