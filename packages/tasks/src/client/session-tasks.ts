import { isRecord } from "@tenon/base";
import type { CallToolParams, ClientSession, RequestOptions } from "@tenon/mcp";
import type { CallToolResult, InputResponses } from "@tenon/protocol";

import { followLegacy } from "./follow-legacy.ts";
import { follow, type FollowOptions } from "./follow.ts";
import type { RemoteTask } from "./task.ts";
import { watchTask } from "./watch.ts";
import type { TaskWire, WireOptions } from "./wire.ts";

/** A task to be stored and continued later, by this client or another process. Plain JSON. */
export interface TaskReference {
  readonly taskId: string;
  /** The era of the session that created it: a task cannot be continued in the other. */
  readonly era: ClientSession["era"];
}

/** A task that a call has become. */
export interface StartedTask {
  readonly resultType: "task";
  /** The task as the server created it. */
  readonly task: RemoteTask;
  /** Continues the task later: see {@link SessionTasks.resume}. */
  readonly reference: TaskReference;
  /**
   * Follows the task and returns the result of the call. @throws As {@link SessionTasks.result}.
   */
  result(options?: FollowOptions): Promise<CallToolResult>;
  /** Yields the states of the task: see {@link SessionTasks.watch}. */
  watch(options?: WireOptions): AsyncGenerator<RemoteTask, void, undefined>;
  /** Cancels the task. */
  cancel(options?: WireOptions): Promise<void>;
}

/** The tasks of a session's server. */
export interface SessionTasks {
  /**
   * Calls a tool and returns the task, or the result if the server did not make the call a task.
   */
  start(params: CallToolParams, options?: RequestOptions): Promise<StartedTask | CallToolResult>;
  /** Returns a task. @throws `TaskCallError` `TASK_LOST`, `NO_TASKS`, `INVALID_TASK`. */
  get(id: string, options?: WireOptions): Promise<RemoteTask>;
  /** Sends responses to the input requests of a task (2026-07-28). @throws As {@link get}. */
  update(id: string, responses: InputResponses, options?: WireOptions): Promise<void>;
  /** Cancels a task. @throws As {@link get}. */
  cancel(id: string, options?: WireOptions): Promise<void>;
  /**
   * Follows a task until it has ended: polls it, and passes its input requests to the handlers of
   * the client.
   *
   * @throws `RpcError` of a failed task; `TaskCallError` `TASK_CANCELLED`, `TASK_LOST`; jsonrpc2's
   *   `TIMEOUT` after `totalTimeoutMs`; `signal.reason`.
   */
  result(id: string, options?: FollowOptions): Promise<CallToolResult>;
  /**
   * Yields the task now and after each change, and ends with its final state. Does not respond to
   * input requests.
   */
  watch(id: string, options?: WireOptions): AsyncGenerator<RemoteTask, void, undefined>;
  /** A task that was started before, perhaps by another process. @throws As {@link get}. */
  resume(reference: TaskReference, options?: WireOptions): Promise<StartedTask>;
}

/** Marks the call of {@link SessionTasks.start}. */
export const startOption: unique symbol = Symbol("start");

/** The tasks of a session. */
export function sessionTasks(wire: TaskWire): SessionTasks {
  const { session } = wire;
  return {
    start: async (params, options) => {
      const started: object = await session.request(
        "tools/call",
        params as never,
        {
          ...options,
          [startOption]: true,
        } as RequestOptions,
      );
      return started as StartedTask | CallToolResult;
    },
    get: (id, options) => wire.get(id, options),
    update: (id, responses, options) => wire.update(id, responses, options),
    cancel: (id, options) => wire.cancel(id, options),
    result: (id, options = {}) => resultOf(wire, id, options),
    watch: (id, options) => watchTask(wire, id, options),
    resume: async (reference, options) => {
      const { taskId, era } = readReference(reference);
      if (era !== session.era) {
        throw new TypeError(
          `The reference belongs to the ${era} era; got a session of the ${session.era} era.`,
        );
      }
      return startedTask(wire, await wire.get(taskId, options));
    },
  };
}

/** Makes the task that a call has become. */
export function startedTask(wire: TaskWire, task: RemoteTask): StartedTask {
  const { id } = task;
  return {
    resultType: "task",
    task,
    reference: { taskId: id, era: wire.session.era },
    result: (options = {}) => resultOf(wire, id, options),
    watch: (options) => watchTask(wire, id, options),
    cancel: (options) => wire.cancel(id, options),
  };
}

async function resultOf(wire: TaskWire, id: string, options: FollowOptions): Promise<CallToolResult> {
  const result = await (wire.isModern ? follow(wire, id, options) : followLegacy(wire, id, options));
  return { content: [], ...result };
}

function readReference(reference: unknown): TaskReference {
  const { taskId, era } = isRecord(reference) ? reference : {};
  if (typeof taskId !== "string" || (era !== "modern" && era !== "legacy")) {
    throw new TypeError(
      `Reference of a task: a taskId and an era are required; got ${JSON.stringify(reference)}.`,
    );
  }
  return { taskId, era };
}
