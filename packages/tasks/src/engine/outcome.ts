import { ErrorCode, isRpcError } from "@tenon/jsonrpc2/core";

import { isTaskError, TaskError } from "../error.ts";
import type { TaskPatch } from "../store/record.ts";
import { toText } from "./json.ts";
import type { Setting } from "./setting.ts";
import type { TaskFailure } from "./snapshot.ts";

/** How long the outcome of a task that expired is kept at most, in milliseconds. */
const maxRetainMs = 3_600_000;

/** The patch that ends a task. */
export type FinalPatch = TaskPatch & { readonly outcome: string };

/** The patch that completes a task. A result that is too long or no JSON fails the task. */
export function completion(value: unknown, setting: Setting, ttlMs: number | null): FinalPatch {
  try {
    const result = toText(value ?? null, "The result", setting.limits.maxResultLength, "maxResultLength");
    return ended("completed", `{"result":${result}}`, ttlMs);
  } catch (error) {
    setting.onError(error);
    return failure(internal(isTaskError(error) ? error.message : "Internal error"), setting, ttlMs);
  }
}

/** The patch for an error that a run threw. Only the details of an `RpcError` are stored. */
export function failureOfRun(error: unknown, setting: Setting, ttlMs: number | null): FinalPatch {
  if (isRpcError(error)) {
    const { message, data } = error;
    const code = Number.isSafeInteger(error.code) ? error.code : ErrorCode.InternalError;
    return failure(data === undefined ? { code, message } : { code, message, data }, setting, ttlMs);
  }
  setting.onError(error);
  return failure(internal("Internal error"), setting, ttlMs);
}

/**
 * The patch that fails a task. Of an error that is too long or no JSON, only the code is stored.
 */
export function failure(error: TaskFailure, setting: Setting, ttlMs: number | null): FinalPatch {
  let text: string;
  try {
    text = toText({ ...error }, "The error", setting.limits.maxResultLength, "maxResultLength");
  } catch (problem) {
    setting.onError(problem);
    text = JSON.stringify({ code: error.code, message: error.message.slice(0, 200) });
  }
  return ended("failed", `{"error":${text}}`, ttlMs);
}

/** The patch that cancels a task. */
export function cancellation(ttlMs: number | null): FinalPatch {
  return ended("cancelled", `{"error":${JSON.stringify(internal("The task was cancelled"))}}`, ttlMs);
}

/** An error that is not the fault of the caller. */
export function internal(message: string): TaskFailure {
  return { code: ErrorCode.InternalError, message };
}

/** The patch of a task whose outcome the store had no room for. */
export function withoutRoom(setting: Setting, ttlMs: number | null): FinalPatch {
  setting.onError(new TaskError("STORE_FULL", "The store of tasks had no room for an outcome."));
  return failure(internal("No room in the store for the result"), setting, ttlMs);
}

function ended(
  state: "completed" | "failed" | "cancelled",
  outcome: string,
  ttlMs: number | null,
): FinalPatch {
  return {
    state,
    outcome,
    questions: {},
    retainMs: ttlMs === null ? undefined : Math.min(ttlMs, maxRetainMs),
  };
}
