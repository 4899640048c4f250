import { isRecord } from "@tenon/base";
import { ErrorCode } from "@tenon/jsonrpc2/core";
import type { InputRequests } from "@tenon/protocol";

import type { TaskState } from "../store/record.ts";
import { progressKey } from "../wire/messages.ts";
import { TaskCallError } from "./error.ts";

/** A task as its client sees it, in every revision. */
export interface RemoteTask {
  readonly id: string;
  /** In 2025-11-25 a result with `isError` is `failed`, in 2026-07-28 `completed`. */
  readonly status: TaskState;
  readonly statusMessage: string | undefined;
  /** The progress of the run, if the server is Tenon. */
  readonly progress: unknown;
  /** As the server sent it: an ISO 8601 time. */
  readonly createdAt: string;
  /** As the server sent it: an ISO 8601 time. */
  readonly lastUpdatedAt: string;
  /** Lifetime in milliseconds from its creation; `null` if it is unlimited or unknown. */
  readonly ttlMs: number | null;
  /** Suggested time between two polls, in milliseconds. */
  readonly pollIntervalMs: number | undefined;
  /** The input requests without a response, by key (2026-07-28). */
  readonly inputRequests: InputRequests;
  /** The result of the call, once the task is `completed` (2026-07-28). */
  readonly result: object | undefined;
  /** The error of the call, once the task is `failed` (2026-07-28). */
  readonly error: { readonly code: number; readonly message: string; readonly data?: unknown } | undefined;
}

const states: ReadonlySet<unknown> = new Set([
  "working",
  "input_required",
  "completed",
  "failed",
  "cancelled",
] satisfies readonly TaskState[]);

/**
 * Reads a task that a server sent.
 *
 * @throws `TaskCallError` `INVALID_TASK` for a value that is not a task.
 * @source
 */
export function readTask(sent: unknown): RemoteTask {
  if (!isRecord(sent)) {
    throw invalid("an object", sent);
  }
  const { taskId, status, statusMessage, createdAt, lastUpdatedAt, inputRequests, result, error } = sent;
  if (typeof taskId !== "string" || taskId === "" || taskId.length > maxIdLength) {
    throw invalid(`a taskId of 1 to ${maxIdLength} characters`, taskId);
  }
  if (!states.has(status)) {
    throw invalid("a status of the protocol", status);
  }
  return {
    id: taskId,
    status: status as TaskState,
    statusMessage: typeof statusMessage === "string" ? statusMessage : undefined,
    progress: isRecord(sent["_meta"]) ? sent["_meta"][progressKey] : undefined,
    createdAt: String(createdAt),
    lastUpdatedAt: String(lastUpdatedAt),
    ttlMs: numberOf(sent["ttlMs"] ?? sent["ttl"]) ?? null,
    pollIntervalMs: numberOf(sent["pollIntervalMs"] ?? sent["pollInterval"]),
    inputRequests: isRecord(inputRequests) ? (inputRequests as InputRequests) : {},
    result: isRecord(result) ? result : undefined,
    error: readError(error),
  };
}

/**
 * Reads a task with its outcome, as 2026-07-28 sends it.
 *
 * @throws As {@link readTask}, and for a task that has ended without its result or error.
 * @source
 */
export function readDetailedTask(sent: unknown): RemoteTask {
  const task = readTask(sent);
  const missing = { completed: "result", failed: "error" }[task.status as string] as
    | "result"
    | "error"
    | undefined;
  if (missing !== undefined && task[missing] === undefined) {
    throw invalid(`a ${task.status} task with a ${missing} that is an object`, sent);
  }
  return task;
}

/**
 * The time to the next poll, in milliseconds: up to a tenth more or less than suggested, so that
 * clients do not poll in step.
 *
 * @param suggested - As the server suggests.
 * @param factor - How many times longer it is.
 */
export function boundedPollMs(suggested: number | undefined, factor = 1): number {
  const ms = Math.min(maxPollMs, factor * Math.max(minPollMs, suggested ?? defaultPollMs));
  return ms * (0.9 + Math.random() / 5);
}

/** The message for a failed task without an error. */
export function failureOf({ id, statusMessage }: RemoteTask): string {
  return statusMessage ?? `The task ${id} failed.`;
}

/** Bounds of the time between two polls, in milliseconds. A server suggests a time between them. */
const minPollMs = 200;
const maxPollMs = 60_000;
const defaultPollMs = 1000;
const maxIdLength = 1024;

function readError(error: unknown): RemoteTask["error"] {
  if (!isRecord(error)) {
    return undefined;
  }
  const { code, message, data } = error;
  return {
    code: Number.isSafeInteger(code) ? (code as number) : ErrorCode.InternalError,
    message: typeof message === "string" ? message : "The task failed.",
    ...(data === undefined ? {} : { data }),
  };
}

function numberOf(value: unknown): number | undefined {
  return typeof value === "number" && value > 0 ? value : undefined;
}

function invalid(expected: string, got: unknown): TaskCallError {
  const message = `Task of the server: expected ${expected}; got ${JSON.stringify(got)?.slice(0, 100)}.`;
  return new TaskCallError("INVALID_TASK", message);
}
