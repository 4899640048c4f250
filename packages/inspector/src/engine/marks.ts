import { isRecord } from "@tenon/base";
import { metaOf } from "@tenon/protocol";

import type { Progress, TaskMark } from "../wire/summary.ts";
import { startOf } from "./brief.ts";

const maxIdLength = 200;
const maxMessageLength = 200;

/** The task in the parameters of a method for tasks, or in a result that is a task. */
export function taskIn(value: unknown): TaskMark | undefined {
  const task = isRecord(value) && isRecord(value["task"]) ? value["task"] : value;
  if (!isRecord(task) || typeof task["taskId"] !== "string") {
    return undefined;
  }
  const { taskId, status } = task;
  const id = startOf(taskId, maxIdLength);
  return typeof status === "string" ? { id, status: startOf(status, maxIdLength) } : { id };
}

/** The task that the metadata of a message of the legacy era names. */
export function relatedTask(params: unknown): string | undefined {
  return taskIn(metaOf(params)?.["io.modelcontextprotocol/related-task"])?.id;
}

/** The progress in the parameters of a notification; `undefined` if there is none. */
export function progressIn(method: string, params: unknown): Progress | undefined {
  return method === "notifications/progress" ? progressOf(params) : undefined;
}

/** The progress in the state of a task of this SDK. */
export function taskProgressIn(state: unknown): Progress | undefined {
  return progressOf(metaOf(state)?.["dev.tenon/progress"]);
}

function progressOf(value: unknown): Progress | undefined {
  if (!isRecord(value) || typeof value["progress"] !== "number") {
    return undefined;
  }
  const { progress, total, message } = value;
  return {
    progress,
    ...(typeof total === "number" ? { total } : {}),
    ...(typeof message === "string" ? { message: startOf(message, maxMessageLength) } : {}),
  };
}
