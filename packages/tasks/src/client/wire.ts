import { isRpcError, ErrorCode } from "@tenon/jsonrpc2/core";
import type { ClientExtensionHost, ClientSession, MethodDefinition, RequestOptions } from "@tenon/mcp";
import type { InputResponses } from "@tenon/protocol";

import { cancelTask, getTask, updateTask } from "../wire/messages.ts";
import { TaskCallError } from "./error.ts";
import { readDetailedTask, readTask, type RemoteTask } from "./task.ts";

/** The options of one request about a task. */
export type WireOptions = Pick<RequestOptions, "signal" | "timeoutMs" | "totalTimeoutMs">;

/** The requests about tasks, in the form of the session's revision. */
export interface TaskWire {
  readonly session: ClientSession;
  readonly host: ClientExtensionHost<object>;
  readonly isModern: boolean;
  get(id: string, options?: WireOptions): Promise<RemoteTask>;
  /** 2026-07-28 only. */
  update(id: string, responses: InputResponses, options?: WireOptions): Promise<void>;
  cancel(id: string, options?: WireOptions): Promise<void>;
}

const wires = new WeakMap<ClientSession, TaskWire>();

/** The requests of a session. @throws `TaskCallError` `NO_TASKS` if its server has no tasks. */
export function wireOf(session: ClientSession, host: ClientExtensionHost<object>): TaskWire {
  // Made once, because each call of a tool asks for it.
  const wire = wires.get(session) ?? newWire(session, host);
  wires.set(session, wire);
  return wire;
}

function newWire(session: ClientSession, host: ClientExtensionHost<object>): TaskWire {
  const isModern = session.era === "modern";
  const request = async (
    method: typeof getTask | typeof updateTask,
    params: { readonly taskId: string; readonly inputResponses?: InputResponses },
    options: WireOptions = {},
  ): Promise<unknown> => {
    requireTasks(session, host);
    try {
      return await (isModern
        ? session.request(method as MethodDefinition, params, options)
        : session.request(method.method as "tasks/get", params, options));
    } catch (error) {
      if (!isRpcError(error) || error.code !== ErrorCode.InvalidParams) {
        throw error;
      }
      if (method !== getTask) {
        // The error may also concern the rest of the request. This throws if the task is unknown.
        await request(getTask, params, options);
        throw error;
      }
      throw new TaskCallError("TASK_LOST", `The server does not know the task ${params.taskId}.`, {
        cause: error,
      });
    }
  };
  return {
    session,
    host,
    isModern,
    get: async (taskId, options) => {
      const sent = await request(getTask, { taskId }, options);
      return isModern ? readDetailedTask(sent) : readTask(sent);
    },
    update: async (taskId, inputResponses, options) => {
      await request(updateTask, { taskId, inputResponses }, options);
    },
    cancel: async (taskId, options) => {
      await request(cancelTask, { taskId }, options);
    },
  };
}

/** Whether the server of a session has tasks for calls of tools. */
export function hasTasks(session: ClientSession, host: ClientExtensionHost<object>): boolean {
  const { tasks } = session.serverCapabilities as {
    readonly tasks?: { readonly requests?: { readonly tools?: { readonly call?: object } } };
  };
  return session.era === "modern"
    ? host.settingsOf(session) !== undefined
    : session.offers("tasks/get") && tasks?.requests?.tools?.call !== undefined;
}

function requireTasks(session: ClientSession, host: ClientExtensionHost<object>): void {
  if (!hasTasks(session, host)) {
    throw new TaskCallError("NO_TASKS", "The server must declare tasks for this request.");
  }
}
