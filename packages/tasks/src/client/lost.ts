import { backoff, isRecord, sleep, unlessAborted } from "@tenon/base";
import { ErrorCode, isLocalError, isRpcError } from "@tenon/jsonrpc2/core";

import type { TaskWire } from "./wire.ts";

/** Delays after requests without a response. */
const retries = { initialDelayMs: 200, maxDelayMs: 10_000 };

/**
 * Whether a request about a task got no response over HTTP, or that of a server which is not
 * ready: a later request may succeed.
 */
export function isLost(error: unknown): boolean {
  if (!isRecord(error)) {
    return false;
  }
  const { code, status } = error;
  return code === "NETWORK" || (code === "STATUS" && typeof status === "number" && status >= 500);
}

/**
 * Waits before a request is repeated.
 *
 * @param failures - How many requests in a row have failed before.
 * @throws `signal.reason`.
 */
export function pauseAfter(failures: number, { host }: TaskWire, signal: AbortSignal): Promise<void> {
  return sleep(backoff(failures, retries), { signal, clock: host.clock, keepsAlive: true });
}

/**
 * Sends a request about a task until it gets a response: such requests can be repeated without
 * harm, and the task must not suffer from the network.
 *
 * @param ask - Sends the request once.
 * @param signal - Ends the wait. By then the request may have been received.
 * @throws `signal.reason`; the response, if it is an error that a repetition does not change.
 */
export async function untilAnswered<T>(
  wire: TaskWire,
  signal: AbortSignal,
  ask: () => Promise<T>,
): Promise<T> {
  for (let failures = 0; ; failures++) {
    try {
      return await unlessAborted(ask(), signal);
    } catch (error) {
      if (signal.aborted || !isTransient(error)) {
        throw signal.aborted ? signal.reason : error;
      }
      await pauseAfter(failures, wire, signal);
    }
  }
}

function isTransient(error: unknown): boolean {
  return (
    isLost(error) ||
    isLocalError(error, "TIMEOUT") ||
    (isRpcError(error) && error.code === ErrorCode.InternalError)
  );
}
