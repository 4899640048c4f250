import type { TestRunner } from "@tenon/jsonrpc2/testing";

import type { EventStore } from "../event/contract.ts";
import { register, type StoreConformanceOptions, type StoreSubjectFactory } from "./check.ts";
import { fences } from "./event/fences.ts";
import { streams } from "./event/streams.ts";
import { eventTrouble } from "./event/trouble.ts";

/**
 * Registers the checks that every `EventStore` must pass, one test each. The store must keep 11,000
 * events and 4 million characters, for 10 minutes.
 *
 * @param runner - Where to register them.
 * @param make - Creates the store under test.
 * @returns How many checks were registered.
 */
export function eventStoreConformance(
  runner: TestRunner,
  make: StoreSubjectFactory<EventStore>,
  options: StoreConformanceOptions = {},
): number {
  return register(runner, [...streams, ...fences, ...eventTrouble], make, options);
}
