import type { TaskContext } from "./context.ts";
import { checkName } from "./names.ts";
import type { TaskOutcome } from "./snapshot.ts";

/** A task of a back end, as the engine passes it. */
export interface BackendTask {
  readonly id: string;
  readonly principal: string;
  readonly arguments: unknown;
  /** The `data` of `start`, such as the ID of a job. */
  readonly data: unknown;
  /** Aborts when the engine no longer waits for the call. */
  readonly signal: AbortSignal;
}

/** The state of a job of a back end. */
export type BackendState =
  | { readonly state: "working"; readonly statusMessage?: string | undefined; readonly progress?: unknown }
  | {
      readonly state: "input_required";
      readonly statusMessage?: string | undefined;
      /** The input requests by key. A key that has a response is ignored. */
      readonly questions: Readonly<Record<string, unknown>>;
    }
  | { readonly state: "completed" | "failed"; readonly outcome: TaskOutcome }
  | { readonly state: "cancelled" };

/** A system of jobs that runs tasks in place of the engine. */
export interface TaskBackend {
  /**
   * Returns the state of a job. Called while an unfinished task is read or watched, at most
   * once at a time for a task and not more often than `pollIntervalMs`. If it fails or takes longer
   * than `backendTimeoutMs`, the task does not change.
   */
  get(task: BackendTask): BackendState | Promise<BackendState>;
  /**
   * Passes responses on, before the engine stores them. If it fails, so does the call of
   * `TaskEngine.update`, and nothing is stored. If a process ends in between, the same responses
   * come again.
   */
  update?(task: BackendTask, answers: Readonly<Record<string, unknown>>): void | Promise<void>;
  /** Cancels a job, after the task was cancelled. A failure is reported to `onError`. */
  cancel?(task: BackendTask): void | Promise<void>;
}

/**
 * The behavior of all tasks of one name. With `run`, an engine runs them. With `backend`, a system
 * of jobs runs them and returns their state. With neither, `complete`, `fail` and `ask` of the
 * engine determine what becomes of them.
 */
export interface TaskDefinition {
  /** Identifies the definition after a restart. 1 to 128 characters. */
  readonly name: string;
  /**
   * Identifies what the journal of a task is valid for, such as a hash of the code or the schema. A
   * task that was created for another version does not run again; it fails. Up to 128 characters.
   */
  readonly version: string;
  /**
   * Runs a task. Returns its result, plain JSON. An `RpcError` that it throws becomes the error of
   * the task; any other error is reported to `onError` and becomes `-32603`. It can run several
   * times for one task: after each input request with a response, and after a process ended.
   */
  run?(task: TaskContext): unknown;
  /** A system of jobs that runs the tasks. Not allowed together with `run`. */
  readonly backend?: TaskBackend | undefined;
  /**
   * How many runs may begin without one that ends, because the process ends in each. Then the task
   * fails. A run that parks ends. Default: `3`.
   */
  readonly maxAttempts?: number | undefined;
}

/** Checks a definition. @throws `TypeError` for one that is not valid. */
export function checkDefinition({ name, version, run, backend, maxAttempts = 1 }: TaskDefinition): void {
  checkName(name, "Name of a definition");
  if (typeof version !== "string" || version.length > 128) {
    throw new TypeError(`Version of definition ${name} must be a string of at most 128 characters.`);
  }
  if (!(maxAttempts >= 1)) {
    throw new TypeError(`maxAttempts of definition ${name} must be 1 or more; got ${maxAttempts}.`);
  }
  if (run !== undefined && backend !== undefined) {
    throw new TypeError(`Definition ${name} must have either run or backend, not both.`);
  }
}
