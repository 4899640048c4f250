import { brandErrors, isBranded } from "@tenon/base";

/** The meaning of each {@link TaskErrorCode}. */
export const taskErrors = {
  TASK_EXISTS: "a task with this ID exists",
  STORE_FULL: "the store has no room for the task or the value",
  STORE_FAILED: "the store could not read or write",
  STORE_LOCKED: "another process uses the store",
  LIMIT_EXCEEDED: "a value is larger than a limit of the engine",
  NOT_SERIALIZABLE: "a value is not plain JSON",
  INVALID_CURSOR: "a cursor of a list is not valid",
  INVALID_STATE: "the operation is not allowed in the current state of the task",
  TASK_PARKED: "the task waits for input, so its run was suspended",
  TASK_CANCELLED: "the task was cancelled",
  TASK_EXPIRED: "the task reached the end of its lifetime",
  LEASE_LOST: "another process runs the task",
  CLOSED: "the engine or the store is closed",
} as const;

/** The codes of {@link TaskError}. */
export type TaskErrorCode = keyof typeof taskErrors;

const brand = Symbol.for("@tenon/tasks/TaskError");

/**
 * An error of a task engine or of a store. Recognize it by `code`. The reason of the signal of a
 * run is also such an error.
 */
export class TaskError extends Error {
  static {
    brandErrors(this.prototype, "TaskError", brand);
  }

  readonly code: TaskErrorCode;

  /** A failure with its code. @param options - `cause` is kept. */
  constructor(code: TaskErrorCode, message: string, options?: { cause?: unknown }) {
    super(message, options?.cause === undefined ? undefined : options);
    this.code = code;
  }
}

/**
 * Returns whether `value` is a {@link TaskError}, including one of another copy of this package,
 * optionally with this code.
 */
export function isTaskError(value: unknown, code?: TaskErrorCode): value is TaskError {
  return isBranded(value, brand, code);
}
