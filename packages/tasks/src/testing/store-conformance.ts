import type { TestRunner } from "@tenon/jsonrpc2/testing";

import type { TaskStoreCheck, TaskStoreUnderTest } from "./check.ts";
import { create } from "./checks/create.ts";
import { durable } from "./checks/durable.ts";
import { journal } from "./checks/journal.ts";
import { leases } from "./checks/lease.ts";
import { lifetime } from "./checks/lifetime.ts";
import { update } from "./checks/update.ts";

/** Properties in which stores differ. */
export interface TaskStoreConformanceOptions {
  /**
   * Whether the tasks of the store survive the process. The store under test must then have
   * `reopen`. If `false`, the checks that reopen the store are not registered. Default: `false`.
   */
  readonly durable?: boolean | undefined;
}

/** Creates an empty store. Called once for each check. */
export type TaskStoreFactory = () => Promise<TaskStoreUnderTest>;

const all: readonly TaskStoreCheck[] = [...create, ...update, ...leases, ...journal, ...lifetime, ...durable];

/**
 * Registers the checks that every `TaskStore` must pass, one test each.
 *
 * @param runner - The test framework, such as `{ test }` with the `test` of vitest.
 * @param make - Creates the store under test.
 * @returns The number of checks that were registered.
 */
export function taskStoreConformance(
  runner: TestRunner,
  make: TaskStoreFactory,
  options: TaskStoreConformanceOptions = {},
): number {
  const checks = all.filter(({ reopens }) => reopens !== true || options.durable === true);
  for (const { name, run } of checks) {
    runner.test(name, async () => {
      const under = await make();
      const { store, other = store } = under;
      try {
        await run({ store, other, advance: (ms) => under.advance(ms), reopen: () => reopened(under) });
      } finally {
        await under[Symbol.asyncDispose]();
      }
    });
  }
  return checks.length;
}

function reopened({ reopen }: TaskStoreUnderTest): Promise<TaskStoreUnderTest["store"]> {
  if (reopen === undefined) {
    throw new TypeError("TaskStoreUnderTest.reopen must exist for a durable store.");
  }
  return reopen();
}
