import { createVirtualClock, type VirtualClock } from "@tenon/jsonrpc2/testing";

import type { TaskClock } from "../../src/clock.ts";

/** A virtual clock whose date is that of a day in 2026 when it starts. */
export function createDatedClock(): VirtualClock & TaskClock {
  const clock = createVirtualClock();
  const start = Date.UTC(2026, 10, 23);
  return Object.assign(Object.create(clock) as VirtualClock, { date: () => start + clock.now() });
}
