import type { CallToolResult } from "@tenon/protocol";

import type { TaskSnapshot } from "../engine/snapshot.ts";
import { progressKey, relatedTask } from "../wire/messages.ts";

/** A task without its outcome, as 2026-07-28 sends it. @source R-697 */
export function modernTask(task: TaskSnapshot): Record<string, unknown> {
  const { id, state, ttlMs, pollIntervalMs, progress } = task;
  return {
    taskId: id,
    status: state,
    ...messageOf(task),
    ...timesOf(task),
    ttlMs,
    pollIntervalMs,
    ...(progress === undefined ? {} : { _meta: { [progressKey]: progress } }),
  };
}

/**
 * A task with its input requests, its result or its error, as 2026-07-28 sends it. @source R-697
 */
export function detailedTask(task: TaskSnapshot): Record<string, unknown> {
  const { state, questions, outcome } = task;
  const base = modernTask(task);
  if (state === "input_required") {
    return { ...base, inputRequests: questions };
  }
  return state === "completed" || state === "failed" ? { ...base, ...outcome } : base;
}

/**
 * A task as 2025-11-25 sends it: a result with `isError` is a failure there.
 *
 * @source
 */
export function legacyTask(task: TaskSnapshot): Record<string, unknown> {
  const { id, state, ttlMs, pollIntervalMs, outcome } = task;
  const isError =
    outcome !== undefined &&
    "result" in outcome &&
    (outcome.result as Partial<CallToolResult>).isError === true;
  return {
    taskId: id,
    status: isError ? "failed" : state,
    ...messageOf(task),
    ...timesOf(task),
    ttl: ttlMs,
    pollInterval: pollIntervalMs,
  };
}

/** The `_meta` that relates a message of 2025-11-25 to a task. @source R-676 */
export function relatedTo(id: string): { readonly [relatedTask]: { readonly taskId: string } } {
  return { [relatedTask]: { taskId: id } };
}

function messageOf({ statusMessage }: TaskSnapshot): { readonly statusMessage?: string } {
  return statusMessage === undefined ? {} : { statusMessage };
}

function timesOf({ createdAt, updatedAt }: TaskSnapshot): Record<string, string> {
  return {
    createdAt: new Date(createdAt).toISOString(),
    lastUpdatedAt: new Date(updatedAt).toISOString(),
  };
}
