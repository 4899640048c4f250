import { isRecord } from "@tenon/base";
import type { ClientExtensionHost, ClientSession } from "@tenon/mcp";
import type { ProgressNotificationParams } from "@tenon/protocol";

import { taskChanges, type TaskChanges } from "../legacy/changes.ts";
import { callBack } from "./call-back.ts";

/** The listeners for the notifications of a session about its tasks (2025-11-25). */
interface Notices {
  readonly changes: TaskChanges;
  /** By progress token. */
  readonly progress: Map<unknown, (progress: ProgressNotificationParams) => void>;
}

const all = new WeakMap<ClientSession, Notices>();
let lastToken = 0;

/**
 * Handles the notifications of 2025-11-25 about tasks: the state of a task, and progress of a call
 * that became a task, whose token stays valid after the response.
 *
 * @source
 */
export function handleNotices(host: ClientExtensionHost<object>): void {
  host.handle("notifications/tasks/status", ({ taskId }, { session }) => {
    if (session !== undefined) {
      noticesOf(session).changes.changed(taskId);
    }
  });
  host.handle("notifications/progress", (params, { session }) => {
    if (session !== undefined && typeof params["progress"] === "number") {
      const onProgress = all.get(session)?.progress.get(params["progressToken"]);
      callBack(() => onProgress?.(params as unknown as ProgressNotificationParams), host.onError);
    }
  });
}

/** Calls a function when the server has sent the state of a task: see {@link TaskChanges}. */
export function onChange(session: ClientSession, id: string, changed: () => void): () => void {
  return noticesOf(session).changes.listen(id, changed);
}

/**
 * Adds a progress token to the params of a call.
 *
 * @returns The params, and what ends the calls of the function.
 */
export function withProgress(
  session: ClientSession,
  params: Readonly<Record<string, unknown>>,
  onProgress: (progress: ProgressNotificationParams) => void,
): { readonly params: object; readonly end: () => void } {
  const { progress } = noticesOf(session);
  // Other requests of the session have numbers.
  const progressToken = `task-${++lastToken}`;
  progress.set(progressToken, onProgress);
  const meta = isRecord(params["_meta"]) ? params["_meta"] : {};
  return {
    params: { ...params, _meta: { ...meta, progressToken } },
    end: () => void progress.delete(progressToken),
  };
}

function noticesOf(session: ClientSession): Notices {
  const known = all.get(session);
  if (known !== undefined) {
    return known;
  }
  const notices: Notices = { changes: taskChanges(), progress: new Map() };
  all.set(session, notices);
  return notices;
}
