import { isRecord } from "@tenon/jsonrpc2/transport";
import type { ClientExtensionHost, ClientSession } from "@tenon/mcp";
import type { ProgressNotificationParams } from "@tenon/protocol";

/** The listeners for the notifications of a session about its tasks (2025-11-25). */
interface Notices {
  /** By ID of the task. */
  readonly changes: Map<unknown, Set<() => void>>;
  /** Tasks without a listener that have changed, the newest last. */
  readonly early: Set<unknown>;
  /** By progress token. */
  readonly progress: Map<unknown, (progress: ProgressNotificationParams) => void>;
}

/** A notification may come before the response that names its task: so many are remembered. */
const maxEarly = 256;

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
    if (session === undefined) {
      return;
    }
    const { changes, early } = noticesOf(session);
    const waiting = changes.get(taskId);
    if (waiting !== undefined) {
      waiting.forEach((changed) => changed());
      return;
    }
    early.delete(taskId);
    early.add(taskId);
    const [oldest] = early;
    if (early.size > maxEarly) {
      early.delete(oldest);
    }
  });
  host.handle("notifications/progress", (params, { session }) => {
    if (session !== undefined && typeof params["progress"] === "number") {
      all.get(session)?.progress.get(params["progressToken"])?.(
        params as unknown as ProgressNotificationParams,
      );
    }
  });
}

/**
 * Calls a function when the server has sent the state of a task, at once if it already has.
 *
 * @returns What ends that.
 */
export function onChange(session: ClientSession, id: string, changed: () => void): () => void {
  const { changes, early } = noticesOf(session);
  const own = changes.get(id) ?? new Set();
  changes.set(id, own.add(changed));
  if (early.delete(id)) {
    changed();
  }
  return () => {
    own.delete(changed);
    if (own.size === 0 && changes.get(id) === own) {
      changes.delete(id);
    }
  };
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
  const notices: Notices = { changes: new Map(), early: new Set(), progress: new Map() };
  all.set(session, notices);
  return notices;
}
