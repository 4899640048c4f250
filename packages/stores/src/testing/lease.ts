import type { TestRunner } from "@tenon/jsonrpc2/testing";

import type { Leases } from "../lease/contract.ts";
import { register, type StoreConformanceOptions, type StoreSubjectFactory } from "./check.ts";
import { holders } from "./lease/holders.ts";
import { leaseTrouble } from "./lease/trouble.ts";

/**
 * Registers the checks that every `Leases` must pass, one test each. Tests must not run at the same
 * time as others in the process, because some change `Date.now`.
 *
 * @param runner - Where to register them.
 * @param make - Creates the leases under test.
 * @returns How many checks were registered.
 */
export function leasesConformance(
  runner: TestRunner,
  make: StoreSubjectFactory<Leases>,
  options: StoreConformanceOptions = {},
): number {
  return register(runner, [...holders, ...leaseTrouble], make, options);
}
