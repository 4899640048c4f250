import type { Clock } from "@tenon/base";
import { LocalError, type OutgoingCall } from "@tenon/jsonrpc2/core";

/** Limits of sending middleware for one message. */
export interface SendingLimits {
  readonly clock: Clock;
  readonly limits: { readonly totalTimeoutMs: number };
}

/**
 * Waits for sending middleware, which may never settle, until the signal of the call fires or its
 * `totalTimeoutMs` has elapsed. The peer's own timeouts start only when middleware calls `next`.
 *
 * @throws The signal's reason; jsonrpc2's `TIMEOUT`; the rejection of `sent`.
 */
export function withinLimits(
  sent: Promise<unknown>,
  { method, options }: OutgoingCall,
  { clock, limits }: SendingLimits,
): Promise<unknown> {
  const { signal, totalTimeoutMs: limitMs = limits.totalTimeoutMs } = options ?? {};
  const isLimited = limitMs < Infinity;
  if (!isLimited && signal === undefined) {
    return sent;
  }
  return new Promise((resolve, reject) => {
    const onAbort = (): void => {
      reject(signal?.reason);
    };
    const onTimeout = (): void => {
      const message = `Sending ${method} through middleware took longer than ${limitMs} ms (totalTimeoutMs).`;
      reject(new LocalError("TIMEOUT", message));
    };
    const timer = isLimited ? clock.setTimeout(onTimeout, limitMs, true) : undefined;
    signal?.addEventListener("abort", onAbort);
    if (signal?.aborted === true) {
      onAbort();
    }
    // Middleware may return a value that is not a promise.
    void Promise.resolve(sent)
      .then(resolve, reject)
      .then(() => {
        clock.clearTimeout(timer);
        signal?.removeEventListener("abort", onAbort);
      });
  });
}
