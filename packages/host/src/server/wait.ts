import { unlessAborted, type Clock } from "@tenon/base";

/**
 * Runs `action` with a signal that aborts after `ms` milliseconds with `expired()` as its reason,
 * or together with `signal`. It then stops waiting for the result. Even if `ms` is `Infinity`,
 * the process stays alive during the wait, because the timer of a reconnection does not keep it
 * alive.
 *
 * @param ms - `Infinity` disables the timeout.
 */
export async function within<T>(
  clock: Clock,
  ms: number,
  signal: AbortSignal | undefined,
  expired: () => Error,
  action: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  signal?.throwIfAborted();
  const controller = new AbortController();
  const onAbort = (): void => controller.abort(signal?.reason);
  signal?.addEventListener("abort", onAbort, { once: true });
  const giveUp = (): void => {
    if (ms < Infinity) {
      controller.abort(expired());
    }
  };
  const timer = clock.setTimeout(giveUp, ms, true);
  try {
    return await unlessAborted(action(controller.signal), controller.signal);
  } finally {
    signal?.removeEventListener("abort", onAbort);
    clock.clearTimeout(timer);
  }
}

/** Waits without a timeout, and keeps the process alive meanwhile, as {@link within} does. */
export async function alive<T>(clock: Clock, result: Promise<T>): Promise<T> {
  const timer = clock.setTimeout(() => {}, Infinity, true);
  try {
    return await result;
  } finally {
    clock.clearTimeout(timer);
  }
}
