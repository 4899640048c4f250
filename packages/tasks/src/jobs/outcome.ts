import { isRecord } from "@tenon/base";
import { ErrorCode } from "@tenon/jsonrpc2/core";

import type { BackendState } from "../engine/definition.ts";
import type { TaskFailure } from "../engine/snapshot.ts";

/** The options of all adapters of job systems. */
export interface JobOutcomeOptions {
  /**
   * Makes the result of the tool from the return value of a job: a `CallToolResult`. By default a
   * value with `content` is the result, text becomes text content, and any other value becomes text
   * content with its JSON.
   */
  readonly resultOf?: ((value: unknown) => object) | undefined;
  /**
   * Makes the error of a task from the reason why its job failed, such as the message of an
   * error. By default the reason stays private: the error is `-32603`, "The job failed".
   */
  readonly errorOf?: ((reason: string) => TaskFailure) | undefined;
}

/** The default of `resultOf`. */
export function resultOfJob(value: unknown): object {
  if (isRecord(value) && Array.isArray(value["content"])) {
    return value;
  }
  const text = typeof value === "string" ? value : (JSON.stringify(value) ?? "");
  return { content: [{ type: "text", text }] };
}

/** An error whose message clients may see. */
export function jobFailure(message: string): TaskFailure {
  return { code: ErrorCode.InternalError, message };
}

/** The state of an unfinished job. The status message is its progress, or `message` in it. */
export function workingJob(progress: unknown): BackendState {
  const text = isRecord(progress) ? progress["message"] : progress;
  return typeof text === "string"
    ? { state: "working", statusMessage: text }
    : { state: "working", progress };
}
