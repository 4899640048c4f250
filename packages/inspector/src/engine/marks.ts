import { isRecord } from "@tenon/base";

import type { Progress, TaskMark } from "../wire/summary.ts";

const maxIdLength = 200;
const maxMessageLength = 200;

/** The task in the parameters of a method for tasks, or in a result that is a task. */
export function taskIn(value: unknown): TaskMark | undefined {
  const task = isRecord(value) && isRecord(value["task"]) ? value["task"] : value;
  if (!isRecord(task) || typeof task["taskId"] !== "string") {
    return undefined;
  }
  const { taskId, status } = task;
  const id = taskId.slice(0, maxIdLength);
  return typeof status === "string" ? { id, status: status.slice(0, maxIdLength) } : { id };
}

/** The progress in the parameters of a notification; `undefined` if there is none. */
export function progressIn(method: string, params: unknown): Progress | undefined {
  if (method !== "notifications/progress" || !isRecord(params) || typeof params["progress"] !== "number") {
    return undefined;
  }
  const { progress, total, message } = params;
  return {
    progress,
    ...(typeof total === "number" ? { total } : {}),
    ...(typeof message === "string" ? { message: message.slice(0, maxMessageLength) } : {}),
  };
}
