import { canonicalJson } from "@tenon/base/canonical-json";

import type { TaskStore } from "../store/contract.ts";
import type { NewTask, TaskRecord } from "../store/record.ts";

/** A store under test, empty at first. */
export interface TaskStoreUnderTest extends AsyncDisposable {
  /** The store. */
  readonly store: TaskStore;
  /** The same tasks as another process sees them. Default: the same object. */
  readonly other?: TaskStore | undefined;
  /** Advances the clock of the store by milliseconds. */
  advance(ms: number): Promise<void>;
  /**
   * Opens the store again, as the next process would after this one was killed. Without it the
   * checks of durability are left out.
   */
  readonly reopen?: (() => Promise<TaskStore>) | undefined;
}

/** One check of the kit: a sentence that is true of every store, and its proof. */
export interface TaskStoreCheck {
  readonly name: string;
  /** Whether it needs `reopen`. */
  readonly reopens?: boolean;
  run(test: TaskStoreTest): Promise<void>;
}

/** The stores and the clock of a check. */
export interface TaskStoreTest {
  readonly store: TaskStore;
  readonly other: TaskStore;
  advance(ms: number): Promise<void>;
  reopen(): Promise<TaskStore>;
}

let lastId = 0;

/** A task to create, with an ID of its own. */
export function newTask(members: Partial<NewTask> = {}): NewTask {
  lastId++;
  return {
    id: `t_check${String(lastId).padStart(6, "0")}`,
    principal: "ada",
    name: "job",
    definitionVersion: "1",
    external: false,
    arguments: '{"n":1}',
    data: "null",
    state: "working",
    statusMessage: undefined,
    questions: {},
    outcome: undefined,
    ttlMs: 60_000,
    pollIntervalMs: 1000,
    maxAttempts: 3,
    ...members,
  };
}

/** A lease of a minute. */
export const lease = { worker: "w1", leaseMs: 60_000 } as const;

/** A patch that ends a task with a result. */
export const completed = { state: "completed", outcome: '{"result":1}' } as const;

/** Fails unless both are equal as JSON; `undefined` equals only itself. */
export function equal(actual: unknown, expected: unknown): void {
  const [got, wanted] = [text(actual), text(expected)];
  if (got !== wanted) {
    throw new Error(`The store must return ${wanted}; got ${got}.`);
  }
}

/** Fails unless a call rejects with a `TaskError` of a code. */
export async function rejects(call: Promise<unknown>, code: string): Promise<void> {
  let got: unknown;
  try {
    got = await call;
  } catch (error) {
    equal((error as { code?: unknown }).code ?? String(error), code);
    return;
  }
  throw new Error(`The store must reject with ${code}; got ${text(got)}.`);
}

/** The record that an update returned. Fails if it was refused. */
export function record(result: TaskRecord | string | undefined): TaskRecord {
  if (typeof result !== "object") {
    throw new TypeError(`The store must return the record; got ${text(result)}.`);
  }
  return result;
}

/** The records that belong to these tasks, by ID. */
export function ids(records: readonly TaskRecord[]): readonly string[] {
  return records.map(({ id }) => id);
}

function text(value: unknown): string {
  return value === undefined ? "undefined" : canonicalJson(value);
}
