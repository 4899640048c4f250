import type { TestRunner } from "@tenon/jsonrpc2/testing";

import type { SessionStore } from "../session/contract.ts";
import { register, type StoreConformanceOptions, type StoreSubjectFactory } from "./check.ts";
import { expiry } from "./session/expiry.ts";
import { records } from "./session/records.ts";
import { trouble } from "./session/trouble.ts";
import { updates } from "./session/updates.ts";

/**
 * Registers the checks that every `SessionStore` must pass, one test each. No other test
 * may run in the process at the same time, because some checks change `Date.now`.
 *
 * @param runner - Where to register them.
 * @param make - Creates the store under test.
 * @returns How many checks were registered.
 */
export function sessionStoreConformance(
  runner: TestRunner,
  make: StoreSubjectFactory<SessionStore>,
  options: StoreConformanceOptions = {},
): number {
  return register(runner, [...records, ...updates, ...expiry, ...trouble], make, options);
}
