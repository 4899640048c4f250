import { isRecord } from "@tenon/base";

import type { ReceivedParams } from "./source.ts";

/** The key of `_meta` by which a legacy message names its task. */
const relatedTask = "io.modelcontextprotocol/related-task";

/** Whether a call has become a task. */
export function isTask(result: unknown): result is ReceivedParams {
  return (
    isRecord(result) && (result["resultType"] === "task" || ("task" in result && !("content" in result)))
  );
}

/** Replaces the ids of tasks in a result of a call or of a request about a task. */
export function withTaskIds(result: unknown, change: (taskId: string) => string): unknown {
  if (!isRecord(result)) {
    return result;
  }
  const { taskId, task, _meta: meta } = result;
  const related = isRecord(meta) ? meta[relatedTask] : undefined;
  return {
    ...result,
    ...(typeof taskId === "string" ? { taskId: change(taskId) } : {}),
    ...(isRecord(task) ? { task: withTaskIds(task, change) } : {}),
    ...(isRecord(meta) && isRecord(related)
      ? { _meta: { ...meta, [relatedTask]: withTaskIds(related, change) } }
      : {}),
  };
}
