import { backoff, isRecord, sleep } from "@tenon/jsonrpc2/transport";

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
  return sleep(backoff(failures, retries), { signal, clock: host.clock });
}
