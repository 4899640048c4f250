import { expect } from "vitest";

import { createMemoryTaskStore, createTaskEngine } from "../../src/index.ts";
import type { TaskEngine, TaskEngineLimits, TaskSnapshot, TaskStore } from "../../src/index.ts";
import { createDatedClock } from "./clock.ts";

/** An engine with virtual time, over a memory store with the same clock. */
export interface EngineUnderTest {
  readonly engine: TaskEngine;
  readonly store: TaskStore;
  readonly clock: ReturnType<typeof createDatedClock>;
  /** What `onError` got. */
  readonly errors: unknown[];
  /** Another engine over the same store, as of another process. */
  another(limits?: TaskEngineLimits): TaskEngine;
  /** An engine over the same store whose time stands still: it renews and claims nothing. */
  dying(): TaskEngine;
  /** Lets virtual time pass in steps of a second, with room for what it starts. */
  pass(ms: number): Promise<void>;
}

/** Makes an engine to test. */
export function makeEngine(
  limits: TaskEngineLimits = {},
  wrap: (store: TaskStore) => TaskStore = (store) => store,
): EngineUnderTest {
  const clock = createDatedClock();
  const store = wrap(
    createMemoryTaskStore({
      clock,
      limits: {
        maxTasks: Infinity,
        maxTasksPerPrincipal: Infinity,
        maxLength: Infinity,
        maxLengthPerPrincipal: Infinity,
      },
    }),
  );
  const errors: unknown[] = [];
  const another = (own: TaskEngineLimits = limits, its = clock): TaskEngine =>
    createTaskEngine({ store, clock: its, limits: own, onError: (error) => errors.push(error) });
  return {
    engine: another(limits),
    store,
    clock,
    errors,
    another: (own) => another(own),
    dying: () => another(limits, createDatedClock()),
    async pass(ms) {
      for (let left = ms; left > 0; left -= 1000) {
        clock.advance(Math.min(left, 1000));
        await settled();
      }
    },
  };
}

/** Lets everything happen that waits for nothing but turns of the event loop. */
export async function settled(): Promise<void> {
  for (let turn = 0; turn < 8; turn++) {
    await new Promise((resolve) => {
      setTimeout(resolve, 0);
    });
  }
}

/** The task when it has reached a state, which it must do by turns of the event loop alone. */
export async function inState(engine: TaskEngine, task: TaskSnapshot, state: string): Promise<TaskSnapshot> {
  for (let turn = 0; turn < 50; turn++) {
    const now = await engine.get(task.id, task.principal);
    if (now?.state === state) {
      return now;
    }
    await settled();
  }
  const now = await engine.get(task.id, task.principal);
  expect(now?.state).toBe(state);
  throw new Error("unreachable");
}
