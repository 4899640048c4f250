import { isRecord } from "@tenon/base";

import type { TaskEngine, TaskWatch } from "../engine/contract.ts";
import type { TaskSnapshot } from "../engine/snapshot.ts";
import { isTaskError } from "../error.ts";
import { isFinal } from "../store/record.ts";
import { legacyTask } from "./forms.ts";

/** The session of a requestor. */
interface Session {
  readonly closed: Promise<unknown>;
  notify(method: string, params: object): Promise<void>;
}

/** The requestor of a task. */
export interface Requestor {
  readonly session: Session;
  /** The owner of the task. */
  readonly owner: string;
  /** The progress token of the request, if it has one. */
  readonly token?: unknown;
  readonly onError: (error: unknown) => void;
  /** Called when the task has ended. */
  readonly onEnd?: () => void;
}

/** The functions that end the announcements of each session. */
const endings = new WeakMap<Session, Set<() => void>>();

/**
 * Notifies the requestor of a task of 2025-11-25 about its states, and about its progress if the
 * request asked for it: on the session, because the request has its result. Neither is guaranteed:
 * nothing is sent if too many tasks are watched already.
 *
 * @source
 */
export function announce(engine: TaskEngine, first: TaskSnapshot, requestor: Requestor): void {
  const { session, owner, token, onError, onEnd } = requestor;
  const { id } = first;
  const ending = endingsOf(session);
  let watch: TaskWatch | undefined;
  let version = first.version;
  let progress = -Infinity;
  let isOver = false;
  const end = (): void => {
    isOver = true;
    ending.delete(end);
    watch?.close().catch(onError);
  };
  const notify = (method: string, params: object): void => {
    session.notify(method, params).catch(onError);
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
      onEnd?.();
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
      onError(error);
    }
  });
}

function endingsOf(session: Session): Set<() => void> {
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
