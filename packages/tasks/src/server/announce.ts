import { isRecord } from "@tenon/jsonrpc2/transport";
import type { ExtensionRequest, ServerSession } from "@tenon/mcp";

import type { TaskWatch } from "../engine/contract.ts";
import type { TaskSnapshot } from "../engine/snapshot.ts";
import { isTaskError } from "../error.ts";
import { isFinal } from "../store/record.ts";
import type { TaskServer } from "./call.ts";
import { legacyTask } from "./forms.ts";

/** The functions that end the announcements of each session. */
const endings = new WeakMap<ServerSession, Set<() => void>>();

/**
 * Notifies the client that created a task of 2025-11-25 about its states, and about its progress if
 * the call asked for it: on the session, because the call has its result. Neither is guaranteed:
 * nothing is sent without a session, or if too many tasks are watched already.
 *
 * @source
 */
export function announce(shared: TaskServer, first: TaskSnapshot, request: ExtensionRequest): void {
  const { engine, host, ownerOf } = shared;
  const { session, meta } = request;
  if (session === undefined) {
    return;
  }
  const { id } = first;
  const owner = ownerOf(request);
  const token = meta["progressToken"];
  const ending = endingsOf(session);
  let watch: TaskWatch | undefined;
  let version = first.version;
  let progress = -Infinity;
  let isOver = false;
  const end = (): void => {
    isOver = true;
    ending.delete(end);
    watch?.close().catch(host.onError);
  };
  const notify = (method: string, params: object): void => {
    session.notify(method, params).catch(host.onError);
  };
  const tell = (task: TaskSnapshot): void => {
    if (isOver || task.version <= version) {
      return;
    }
    version = task.version;
    const reached = isRecord(task.progress) ? task.progress["progress"] : undefined;
    if (token !== undefined && !isFinal(task.state) && typeof reached === "number" && reached > progress) {
      progress = reached;
      notify("notifications/progress", { ...(task.progress as object), progressToken: token });
    }
    notify("notifications/tasks/status", legacyTask(task));
    if (isFinal(task.state)) {
      end();
    }
  };
  const begin = async (): Promise<void> => {
    watch = await engine.watch([id], owner, tell);
    const now = isOver ? undefined : await engine.get(id, owner);
    if (now === undefined) {
      end();
    } else {
      tell(now);
    }
  };
  ending.add(end);
  begin().catch((error: unknown) => {
    end();
    if (!isTaskError(error, "LIMIT_EXCEEDED") && !isTaskError(error, "CLOSED")) {
      host.onError(error);
    }
  });
}

function endingsOf(session: ServerSession): Set<() => void> {
  const known = endings.get(session);
  if (known !== undefined) {
    return known;
  }
  const all = new Set<() => void>();
  endings.set(session, all);
  void session.closed.then(() => {
    all.forEach((end) => end());
  });
  return all;
}
