import { brandErrors, isBranded } from "@tenon/base";

/** The meaning of each {@link TaskCallErrorCode}. */
export const taskCallErrors = {
  TASK_CANCELLED: "the task was cancelled, so that it has no result",
  TASK_LOST: "the server does not know the task any longer: it expired, or the server lost it",
  INVALID_TASK: "the server sent a task that is not valid",
  NO_TASKS: "the server has not declared tasks",
} as const;

/** The codes of {@link TaskCallError}. */
export type TaskCallErrorCode = keyof typeof taskCallErrors;

const brand = Symbol.for("@tenon/tasks/TaskCallError");

/** Why a client has no result of a task. Recognize it by `code`. */
export class TaskCallError extends Error {
  static {
    brandErrors(this.prototype, "TaskCallError", brand);
  }

  readonly code: TaskCallErrorCode;

  /** A failure with its code. @param options - `cause` is kept. */
  constructor(code: TaskCallErrorCode, message: string, options?: { cause?: unknown }) {
    super(message, options?.cause === undefined ? undefined : options);
    this.code = code;
  }
}

/** True for any copy of {@link TaskCallError}, optionally with this code. */
export function isTaskCallError(value: unknown, code?: TaskCallErrorCode): value is TaskCallError {
  return isBranded(value, brand, code);
}
