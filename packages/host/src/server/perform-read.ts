import type { Clock } from "@tenon/base";

import type { ManagedServer } from "./managed-server.ts";
import { perform, type Job } from "./perform.ts";

/**
 * Performs a request that only reads, such as a prompt or a resource: it may be sent again, within
 * the total timeout of the server's policy.
 *
 * @throws As {@link perform}.
 */
export function performRead<T>(
  server: ManagedServer,
  clock: Clock,
  run: Job<T>["run"],
  signal: AbortSignal | undefined,
): Promise<T> {
  const { totalTimeoutMs } = server.rules.limits;
  const isRepeatable = (): boolean => true;
  return perform(
    server,
    clock,
    { phase: "read", side: "read", timeoutMs: totalTimeoutMs, isRepeatable, run },
    signal,
  );
}
