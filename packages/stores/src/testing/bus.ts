import type { TestRunner } from "@tenon/jsonrpc2/testing";

import type { Bus } from "../bus/contract.ts";
import { addresses } from "./bus/addresses.ts";
import { delivery } from "./bus/delivery.ts";
import { busTrouble } from "./bus/trouble.ts";
import { register, type StoreConformanceOptions, type StoreSubjectFactory } from "./check.ts";

/**
 * Registers the checks that every `Bus` must pass, one test each.
 *
 * @param runner - Where to register them.
 * @param make - Creates the bus under test. Its clock is not used.
 * @returns How many checks were registered.
 */
export function busConformance(
  runner: TestRunner,
  make: StoreSubjectFactory<Bus>,
  options: StoreConformanceOptions = {},
): number {
  return register(runner, [...delivery, ...addresses, ...busTrouble], make, options);
}
