/**
 * Requests about tasks travel on the official code, whose queues they need.
 *
 * @packageDocumentation
 */

import type { Message } from "@tenon/jsonrpc2/core";
import { RELATED_TASK_META_KEY as relatedTask } from "mcp-sdk-1/types.js";

import type { Internals, RawRequest } from "./internals.ts";

/** Whether the official code handles a received request. */
export function isAboutTask({ method, params }: RawRequest): boolean {
  const meta = params?.["_meta"] as Readonly<Record<string, unknown>> | undefined;
  return params?.["task"] !== undefined || meta?.[relatedTask] !== undefined || method.startsWith("tasks/");
}

/**
 * Passes a message about a request that the official code has sent to that code, in the same turn.
 *
 * @returns Whether it is such a message.
 */
export function takeOver(official: Internals, message: Message): boolean {
  if (!("method" in message)) {
    if (!official._responseHandlers.has(numberOf(message.id))) {
      return false;
    }
    official._onresponse(message);
    return true;
  }
  const token: unknown = Object(message.params)["progressToken"];
  if (message.method !== "notifications/progress" || !official._progressHandlers.has(numberOf(token))) {
    return false;
  }
  official._onnotification(message);
  return true;
}

/** The number of a request, which some servers send as a string; `NaN` for anything else. */
function numberOf(id: unknown): number {
  return typeof id === "number" || (typeof id === "string" && /^\d+$/.test(id)) ? Number(id) : Number.NaN;
}
