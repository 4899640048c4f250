import type { TestRunner } from "@tenon/jsonrpc2/testing";

import type { AuthStore } from "../auth/contract.ts";
import { locks } from "./auth/locks.ts";
import { authTrouble } from "./auth/trouble.ts";
import { values } from "./auth/values.ts";
import { writes } from "./auth/writes.ts";
import { register, type StoreConformanceOptions, type StoreSubjectFactory } from "./check.ts";

/**
 * Registers the checks that every `AuthStore` must pass, one test each. No other test may run in
 * the process at the same time, because some checks change `Date.now`.
 *
 * @param runner - Where to register them.
 * @param make - Creates the store under test.
 * @returns How many checks were registered.
 */
export function authStoreConformance(
  runner: TestRunner,
  make: StoreSubjectFactory<AuthStore>,
  options: StoreConformanceOptions = {},
): number {
  return register(runner, [...values, ...writes, ...locks, ...authTrouble], make, options);
}
