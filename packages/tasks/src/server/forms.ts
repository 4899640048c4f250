import { isRecord } from "@tenon/base";

import type { TaskSnapshot } from "../engine/snapshot.ts";
import { messageOf, timesOf } from "../legacy/forms.ts";
import { progressKey } from "../wire/messages.ts";

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
  if (outcome === undefined || (state !== "completed" && state !== "failed")) {
    return base;
  }
  // The result of the call is included. In this revision it has a type.
  return "result" in outcome && isRecord(outcome.result)
    ? { ...base, result: { resultType: "complete", ...outcome.result } }
    : { ...base, ...outcome };
}
