import { isRecord, unlessAborted } from "@tenon/base";
import type { HookedRequest } from "@tenon/mcp";

import { followLegacy } from "./follow-legacy.ts";
import type { FollowOptions } from "./follow.ts";
import { withProgress } from "./notices.ts";
import { startedTask } from "./session-tasks.ts";
import { isListed } from "./support.ts";
import { readTask } from "./task.ts";
import type { TaskWire } from "./wire.ts";
import { cancelUnwanted, track } from "./within.ts";

/**
 * Sends a call with `params.task`, and follows the task that the server creates (2025-11-25).
 *
 * @param isStart - Returns the task instead of its result.
 * @source
 */
export async function callAugmented(
  wire: TaskWire,
  { params, options, send }: HookedRequest,
  isStart: boolean,
): Promise<object> {
  const { task: _, onProgress, signal, ...rest } = options;
  const asked = { task: {}, ...params };
  const listened = onProgress && withProgress(wire.session, asked, onProgress);
  const end = signal && track(wire.session, signal);
  let abandoned: Promise<void> | undefined;
  try {
    signal?.throwIfAborted();
    // Without the signal: a call with `task` is cancelled by tasks/cancel, once its task is known.
    const sent = send(listened?.params ?? asked, rest);
    const result = await unlessAborted(sent, signal).catch((error: unknown) => {
      if (signal?.aborted === true) {
        abandoned = abandon(wire, sent, options);
      }
      throw error;
    });
    if (!isRecord(result["task"])) {
      return result;
    }
    const task = readTask(result["task"]);
    return isStart ? startedTask(wire, task) : await followLegacy(wire, task.id, options, task);
  } finally {
    end?.(abandoned);
    listened?.end();
  }
}

/** Requests the list of tools if it does not say yet whether a tool has tasks. @source R-481 */
export async function listTool({ session }: TaskWire, tool: unknown): Promise<void> {
  if (!isListed(session, tool)) {
    for await (const { name } of session.tools()) {
      if (name === tool) {
        return;
      }
    }
  }
}

/** Cancels the task of a call that was aborted before its task was known. Never rejects. */
async function abandon(
  wire: TaskWire,
  sent: Promise<object>,
  { cancelOnAbort = true }: FollowOptions,
): Promise<void> {
  const { session, host } = wire;
  try {
    const { task } = (await sent) as { readonly task?: unknown };
    if (cancelOnAbort && isRecord(task) && !session.isClosed) {
      await cancelUnwanted(wire, readTask(task).id);
    }
  } catch (error) {
    if (!session.isClosed) {
      host.onError(error);
    }
  }
}
