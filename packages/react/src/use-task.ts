import { checkOptionNames } from "@tenon/base";
import { useInsertionEffect, useMemo, useRef, useSyncExternalStore } from "react";

import type { ServerConnection } from "./server-store.ts";
import { createTaskMemory, createTaskStore, type ToolTasks } from "./task-store.ts";

/** Options of {@link useTask}. */
export interface UseTaskOptions {
  /**
   * The task that the component follows at first, for example one that was stored before the page
   * was loaded again. Later values have no effect, until the URL of the server or the name of the
   * tool changes: store the ID of a task with both.
   */
  readonly taskId?: string | undefined;
}

/**
 * Calls a tool whose calls become tasks: `const report = useTask(server, "report")`, and
 * `report.start({ topic })` in a handler. The task continues when the component is unmounted, and
 * is followed again in the next connection. A call that is not yet a task is cancelled when the
 * component is unmounted. `useServer` needs `prepare: (client) => client.use(taskClient())`.
 *
 * @throws `TypeError` for options that do not exist.
 */
export function useTask(server: ServerConnection, name: string, options: UseTaskOptions = {}): ToolTasks {
  checkOptionNames("useTask", options, "taskId");
  const { session, inputs, onListChanged } = server;
  const { taskId } = options;
  // `onListChanged` changes with the URL: a server must not get the task ID of another server.
  // oxlint-disable-next-line react-hooks/exhaustive-deps -- later values of `taskId` have no effect
  const memory = useMemo(() => createTaskMemory(taskId), [onListChanged, name]);
  const waiting = useRef(inputs);
  // Before all other effects, which may cancel.
  useInsertionEffect(() => void (waiting.current = inputs));
  const store = useMemo(
    () => createTaskStore(session, name, memory, () => waiting.current),
    [session, name, memory],
  );
  return useSyncExternalStore(store.subscribe, store.snapshot, store.snapshot);
}
