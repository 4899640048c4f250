import { checkOptionNames } from "@tenon/base";
import type { RequestContext } from "@tenon/mcp";

import type { BackendState, BackendTask } from "../engine/definition.ts";

/** Whether calls of a tool become tasks. */
export type TaskMode = "optional" | "required";

/** The option `task` of a tool's definition. */
export interface ToolTask {
  /**
   * `optional`: calls of clients without tasks run in the request. `required`: such calls are
   * rejected, with `-32021` (2026-07-28) or `-32601` (before). Default: `optional`.
   */
  readonly mode?: TaskMode | undefined;
  /**
   * Returns whether a call becomes a task, for a tool whose mode is `optional`. By default every
   * call of a client with tasks does.
   *
   * @param args - The arguments as the handler gets them.
   */
  readonly when?: ((args: never, context: RequestContext) => boolean | Promise<boolean>) | undefined;
  /**
   * Runs in the request, before the task exists, and may request input there. The handler gets its
   * value, plain JSON, as `context.task.prepared`.
   */
  readonly prepare?: ((args: never, context: RequestContext) => unknown) | undefined;
  /**
   * A system of jobs that runs the tasks in place of the handler: `prepare` begins the job and
   * returns its ID. The handler still runs the calls that do not become tasks.
   */
  readonly backend?: JobBackend | undefined;
  /** Lifetime of a task in milliseconds. A client of 2025-11-25 may ask for another. */
  readonly ttlMs?: number | undefined;
  /** Suggested time between two polls, in milliseconds. */
  readonly pollIntervalMs?: number | undefined;
  /**
   * How long the client waits for the result in its call, in milliseconds, before it gets a task.
   * In 2025-11-25 clients decide that a call becomes a task, so they always get one. Default: `0`.
   */
  readonly inlineMs?: number | undefined;
  /** A text for the model, for as long as the task runs (2025-11-25). */
  readonly immediate?: string | undefined;
  /**
   * How many runs of a task may be cut off by the end of their process. `1` for a handler that must
   * not run twice. Default: `3`.
   */
  readonly maxAttempts?: number | undefined;
  /**
   * Identifies the code of the handler. A task that was created with another version fails after a
   * restart instead of running again. Default: `"1"`.
   */
  readonly version?: string | undefined;
}

/** A job that another system runs for a task. */
export interface Job extends Omit<BackendTask, "data"> {
  /** The value of `prepare`, such as the ID of the job. */
  readonly prepared: unknown;
}

/**
 * A system of jobs. Results are results of the tool, complete and in the form of `CallToolResult`;
 * input requests have a `method` and `params`.
 */
export interface JobBackend {
  /** Returns the state of a job. Called when a client reads the task, as `TaskBackend.get`. */
  get(job: Job): BackendState | Promise<BackendState>;
  /** Passes responses to input requests on. */
  update?(job: Job, responses: Readonly<Record<string, unknown>>): void | Promise<void>;
  /**
   * Cancels a job: its task was cancelled, or the job has none, because the task could not be
   * created. Then no task has the ID. If `prepare` returns one job for several calls without a
   * key, the job may belong to another task too: cancel it only if it has no other task.
   */
  cancel?(job: Job): void | Promise<void>;
}

/** The task that a handler runs in. */
export interface TaskControls {
  readonly id: string;
  /** 1 in the first run. Grows if a process ended during a run; parking starts again at 1. */
  readonly attempt: number;
  /** The value that `prepare` returned. */
  readonly prepared: unknown;
  /** When the task expires, in milliseconds since 1970; `null` for never. */
  readonly expiresAt: number | null;
  /** Changes the message that the client sees. Written at most once a second. */
  status(message: string): void;
  /** Sets the lifetime of the task to end `ms` milliseconds from now. It never becomes shorter. */
  extend(ms: number): Promise<void>;
}

const modes: readonly unknown[] = ["optional", "required"] satisfies readonly TaskMode[];

/** The option as an object. @throws `TypeError` that describes the problem. */
export function readToolTask(value: unknown): ToolTask {
  if (modes.includes(value)) {
    return { mode: value as TaskMode };
  }
  if (typeof value !== "object" || value === null) {
    throw new TypeError(`task must be "optional", "required" or an object; got ${JSON.stringify(value)}.`);
  }
  checkOptionNames(
    "task",
    value as ToolTask,
    "mode when prepare backend ttlMs pollIntervalMs inlineMs immediate maxAttempts version",
  );
  const { mode, ttlMs, pollIntervalMs, inlineMs, immediate, maxAttempts, backend } = value as ToolTask;
  if (backend !== undefined && typeof (backend as { get?: unknown }).get !== "function") {
    throw new TypeError("task.backend must have a function get.");
  }
  if (mode !== undefined && !modes.includes(mode)) {
    throw new TypeError(`task.mode must be "optional" or "required"; got ${JSON.stringify(mode)}.`);
  }
  for (const [name, number] of Object.entries({ ttlMs, pollIntervalMs, inlineMs, maxAttempts })) {
    if (number !== undefined && !(Number.isSafeInteger(number) && number > 0)) {
      throw new TypeError(`task.${name} must be a whole number above 0; got ${number}.`);
    }
  }
  if (immediate !== undefined && typeof immediate !== "string") {
    throw new TypeError(`task.immediate must be a string; got ${typeof immediate}.`);
  }
  return value;
}
