import type { CallToolResult } from "@tenon/protocol";

import type { TaskSnapshot } from "../engine/snapshot.ts";
import { relatedTask } from "../wire/messages.ts";

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

/** The message of a task, if it has one. */
export function messageOf({ statusMessage }: TaskSnapshot): { readonly statusMessage?: string } {
  return statusMessage === undefined ? {} : { statusMessage };
}

/** The times of a task, in every revision. */
export function timesOf({ createdAt, updatedAt }: TaskSnapshot): Record<string, string> {
  return {
    createdAt: new Date(createdAt).toISOString(),
    lastUpdatedAt: new Date(updatedAt).toISOString(),
  };
}
