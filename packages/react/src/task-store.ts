import { connectionClosed, isLocalError, LocalError } from "@tenon/jsonrpc2/core";
import type { ClientSession } from "@tenon/mcp/client";
import type { CallToolResult } from "@tenon/protocol";
import { isTaskCallError, type RemoteTask, type SessionTasks } from "@tenon/tasks/client";

import type { ToolCallOptions, ToolCalls } from "./call-store.ts";
import { createStore, type ExternalStore } from "./external-store.ts";
import type { ServerInput } from "./inputs.ts";

/** Options of `start` of {@link ToolTasks}. */
export type ToolTaskOptions = Omit<ToolCallOptions, "task" | "onTask" | "cancelOnAbort">;

/** The state of a task. The next connection continues with it. */
export interface TaskProperties {
  /**
   * `waiting`: there is no connection; the next one follows the task. `done`: there is a result,
   * whose `isError` may be true. `failed`: there is none.
   */
  readonly status: "idle" | "waiting" | "running" | "done" | "failed" | "cancelled";
  /**
   * Identifies a task until it has ended. Store it to follow the task after the page was loaded
   * again.
   */
  readonly taskId: string | undefined;
  /** The last state of the task. `statusMessage` is for the user. */
  readonly task: RemoteTask | undefined;
  /**
   * The last progress of the running task, if the server reports it. Legacy servers report it only
   * in the connection that has started the task. With all servers, `statusMessage` of the task says
   * how far it is.
   */
  readonly progress: ToolCalls["progress"];
  /** The last result, including while the next task is running. */
  readonly result: CallToolResult | undefined;
  /** Why the status is `failed`, or why the task could not be cancelled or replaced. */
  readonly error: unknown;
}

/** The tasks of one tool, of which a component follows one. Each change is a new object. */
export interface ToolTasks extends TaskProperties {
  /**
   * Calls the tool, and follows the task. A task that is still running is cancelled. Without a
   * connection the call fails, and a task that is `waiting` is kept. Never rejects: `undefined`
   * means that there is no result, or that the component no longer follows the task.
   */
  readonly start: (
    args?: Readonly<Record<string, unknown>>,
    options?: ToolTaskOptions,
  ) => Promise<CallToolResult | undefined>;
  /**
   * Cancels the task. The status is `cancelled` as soon as the server has cancelled it. Without a
   * connection, only `error` is set.
   */
  readonly cancel: () => void;
}

/** The part of a task that all connections share. */
export interface TaskMemory {
  last: TaskProperties;
  /** The functions of the store that the component reads. `undefined` before the first effect. */
  controls: Pick<ToolTasks, "start" | "cancel"> | undefined;
}

/** The controls after the component was unmounted. */
const unmounted: TaskMemory["controls"] = { start: () => Promise.resolve(undefined), cancel: () => {} };

/** @param taskId - A task that was started before. */
export function createTaskMemory(taskId: string | undefined): TaskMemory {
  const none = { task: undefined, progress: undefined, result: undefined, error: undefined };
  const last = { ...none, status: taskId === undefined ? "idle" : "waiting", taskId } as const;
  return { last, controls: undefined };
}

/** A call, and the task that it has become. */
interface Followed {
  /** Ends the call while it is not a task. A task is only followed no more. */
  readonly ending: AbortController;
  id: string | undefined;
  /** Whether a legacy server creates a task for the call: it cannot be cancelled before. */
  becomesTask: boolean;
  /** Whether the task is cancelled when it is known. */
  isUnwanted: boolean;
  /** Whether the task has ended. */
  hasEnded: boolean;
}

/**
 * Creates the store of the tasks of a tool in one connection. At its end they continue.
 *
 * @param inputs - The input requests that wait.
 */
export function createTaskStore(
  session: ClientSession | undefined,
  name: string,
  memory: TaskMemory,
  inputs: () => readonly ServerInput[],
): ExternalStore<ToolTasks> {
  const all = new Set<Followed>();
  let current: Followed | undefined;
  const controls = { start, cancel };
  const initial: ToolTasks = {
    ...continued(memory.last, session),
    // A function of an earlier connection, for example in a handler that waits, acts on this one.
    start: (...parameters) => (memory.controls ?? controls).start(...parameters),
    cancel: () => (memory.controls ?? controls).cancel(),
  };
  const store = createStore(initial, () => {
    memory.controls = controls;
    const { status, taskId } = store.snapshot();
    if (status === "running" && taskId !== undefined) {
      void follow(taskId, (own) => tasksOf(session).result(taskId, listening(own)));
    }
    return () => {
      if (current !== undefined && current.id === undefined) {
        show({ status: "cancelled", progress: undefined });
      }
      if (memory.controls === controls) {
        memory.controls = unmounted;
      }
      current = undefined;
      for (const own of all) {
        if (own.id === undefined) {
          // It has no ID by which it could be followed.
          giveUp(own);
        } else {
          own.ending.abort();
        }
      }
    };
  });

  function show(change: Partial<TaskProperties>): void {
    const next = { ...store.snapshot(), ...change };
    if (memory.controls === undefined || memory.controls === controls) {
      memory.last = next;
    }
    store.set(next);
  }

  function cancel(): void {
    const { status, taskId } = store.snapshot();
    if (current !== undefined) {
      giveUp(current);
    } else if (status === "waiting") {
      show({ error: notConnected("cancel the task of") });
    } else if (taskId !== undefined) {
      void cancelTask(taskId).then((isDone) => {
        if (isDone && store.snapshot().taskId === taskId) {
          show({ status: "cancelled", taskId: undefined, error: undefined });
        }
      });
    }
  }

  function giveUp(own: Followed): void {
    if (own.id !== undefined) {
      // It is followed to its end: the server may not cancel it at once.
      void cancelTask(own.id);
    } else if (own.becomesTask) {
      own.isUnwanted = true;
    } else {
      own.ending.abort();
    }
  }

  /** Resolves with whether the server has accepted it. Never rejects. */
  async function cancelTask(id: string): Promise<boolean> {
    try {
      await tasksOf(session).cancel(id);
      return true;
    } catch (error) {
      if (store.snapshot().taskId === id) {
        show({ error });
      }
      return false;
    }
  }

  /** The options of requests by which a task is followed. */
  function listening(own: Followed): NonNullable<Parameters<SessionTasks["result"]>[1]> {
    return {
      signal: own.ending.signal,
      cancelOnAbort: false,
      onTask(task) {
        const isFirst = own.id === undefined;
        own.id = task.id;
        own.hasEnded = finalStatuses.includes(task.status);
        if (current === own) {
          show({ taskId: task.id, task });
        }
        if (isFirst && own.isUnwanted) {
          giveUp(own);
        }
      },
      onProgress: (progress) => current === own && show({ progress }),
    };
  }

  /** A legacy server does not withdraw the input requests of a task that it has cancelled. */
  function closeInputs({ id, ending }: Followed): void {
    for (const input of id === undefined || ending.signal.aborted ? [] : inputs()) {
      const related = input.params._meta?.[relatedTask];
      if ((related as { readonly taskId?: unknown } | undefined)?.taskId === id) {
        input.cancel();
      }
    }
  }

  async function follow(
    id: string | undefined,
    request: (own: Followed) => Promise<CallToolResult>,
  ): Promise<CallToolResult | undefined> {
    const own: Followed = {
      ending: new AbortController(),
      id,
      becomesTask: false,
      isUnwanted: false,
      hasEnded: false,
    };
    all.add(own);
    current = own;
    const end = (change: Partial<TaskProperties>): boolean => {
      all.delete(own);
      closeInputs(own);
      const isShown = current === own;
      if (isShown) {
        current = undefined;
        show({ taskId: undefined, progress: undefined, ...change });
      }
      return isShown;
    };
    try {
      const result = await request(own);
      return end({ status: "done", result, error: undefined }) ? result : undefined;
    } catch (error) {
      if (own.ending.signal.aborted || isTaskCallError(error, "TASK_CANCELLED")) {
        end({ status: "cancelled", error: undefined });
      } else if (isLocalError(error, "CONNECTION_CLOSED") && own.id !== undefined) {
        end({ status: "waiting", taskId: own.id });
      } else if (own.hasEnded || isTaskCallError(error) || own.id === undefined) {
        end({ status: "failed", error });
      } else {
        // The task may be running, for example after an input request that has failed. The next
        // connection follows it.
        end({ status: "failed", taskId: own.id, error });
      }
      return undefined;
    }
  }

  function notConnected(action: string): LocalError {
    return new LocalError("INVALID_STATE", `Cannot ${action} ${name}: the server is not connected.`);
  }

  async function start(
    args?: Readonly<Record<string, unknown>>,
    options?: ToolTaskOptions,
  ): Promise<CallToolResult | undefined> {
    const isWaiting = store.snapshot().status === "waiting";
    if (session === undefined || isWaiting) {
      const error = notConnected("call");
      show(isWaiting ? { error } : { status: "failed", error });
      return undefined;
    }
    cancel();
    show({ status: "running", taskId: undefined, task: undefined, progress: undefined, error: undefined });
    return follow(undefined, async (own) => {
      tasksOf(session);
      const { signal } = own.ending;
      own.becomesTask = await isLegacyTask(session, name, signal);
      signal.throwIfAborted();
      return session.callTool({ name, arguments: args }, { ...options, ...listening(own), task: "prefer" });
    });
  }

  return store;
}

const finalStatuses: readonly RemoteTask["status"][] = ["completed", "failed", "cancelled"];

/** The key of `_meta` that relates an input request to a task in 2025-11-25. */
const relatedTask = "io.modelcontextprotocol/related-task";

/** The initial state of a store. */
function continued(last: TaskProperties, session: ClientSession | undefined): TaskProperties {
  if (last.taskId !== undefined) {
    return { ...last, status: session === undefined ? "waiting" : "running", error: undefined };
  }
  return last.status === "running"
    ? { ...last, status: "failed", error: connectionClosed("The connection ended before there was a task.") }
    : last;
}

/** Whether a legacy server creates a task for a call. Lists its tools, which declare it. */
async function isLegacyTask(session: ClientSession, name: string, signal: AbortSignal): Promise<boolean> {
  if (session.era === "legacy") {
    for await (const tool of session.tools({ signal })) {
      if (tool.name === name) {
        const { taskSupport = "forbidden" } = tool.execution ?? {};
        return taskSupport !== "forbidden";
      }
    }
  }
  return false;
}

function tasksOf(session: ClientSession | undefined): SessionTasks {
  const tasks: SessionTasks | undefined = session?.tasks;
  if (tasks === undefined) {
    throw new LocalError(
      "INVALID_STATE",
      "The client has no tasks. Pass prepare: (client) => client.use(taskClient()) to useServer.",
    );
  }
  return tasks;
}
