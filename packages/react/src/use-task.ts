import { checkOptionNames } from "@tenon/base";
import { useEffect, useMemo, useRef, useSyncExternalStore } from "react";

import type { ServerConnection } from "./server-store.ts";
import { createTaskMemory, createTaskStore, type ToolTasks } from "./task-store.ts";

/** Options of {@link useTask}. */
export interface UseTaskOptions {
  /**
   * The task that the component follows at first, for example one that was stored before the page
   * was loaded again. Later values have no effect.
   */
  readonly taskId?: string | undefined;
}

/**
 * Calls a tool whose calls become tasks: `const report = useTask(server, "report")`, and
 * `report.start({ topic })` in a handler. The task continues when the component is unmounted, and
 * is followed again in the next connection. `useServer` needs
 * `prepare: (client) => client.use(taskClient())`.
 *
 * @throws `TypeError` for options that do not exist.
 */
export function useTask(
  { session, inputs }: ServerConnection,
  name: string,
  options: UseTaskOptions = {},
): ToolTasks {
  checkOptionNames("useTask", options, "taskId");
  const { taskId } = options;
  // oxlint-disable-next-line react-hooks/exhaustive-deps -- later values have no effect
  const memory = useMemo(() => createTaskMemory(taskId), [name]);
  const waiting = useRef(inputs);
  useEffect(() => void (waiting.current = inputs));
  const store = useMemo(
    () => createTaskStore(session, name, memory, () => waiting.current),
    [session, name, memory],
  );
  return useSyncExternalStore(store.subscribe, store.snapshot, store.snapshot);
}
