/**
 * Tasks of a client: calls of tools that become tasks are followed until they have a result.
 *
 * @packageDocumentation
 */

import type { SessionTasks } from "./session-tasks.ts";
import type { RemoteTask } from "./task.ts";

declare module "@tenon/mcp" {
  interface RequestExtensionOptions {
    /**
     * Whether the call may become a task. `auto`: if the server makes it one, or, in 2025-11-25, if
     * the tool requires it. `prefer`: in 2025-11-25 also if the tool allows it. `never`: the
     * request does not declare tasks. `return`: as `auto`, but the response is returned as the
     * server sent it, for a proxy that does not follow the task. Requires
     * `client.use(taskClient())`. Default: `auto`.
     */
    readonly task?: "auto" | "prefer" | "never" | "return" | undefined;
    /** Called with each state of the task that the call has become. */
    readonly onTask?: ((task: RemoteTask) => void) | undefined;
    /**
     * Whether the task is cancelled when the signal of the call aborts, after `totalTimeoutMs`, or
     * when a handler of the client fails to provide input. With `false` it continues, and
     * `session.tasks.result` returns its result. Default: `true`.
     */
    readonly cancelOnAbort?: boolean | undefined;
    /**
     * Identifies the call: if it is repeated with the same key, for example by the next process,
     * a server that is Tenon and knows the user returns the task of the first call. 1 to 256
     * characters.
     */
    readonly idempotencyKey?: string | undefined;
  }
  interface SessionExtensionProperties {
    /** The tasks of the server. Requires `client.use(taskClient())`. */
    readonly tasks: SessionTasks;
  }
}

export { isTaskCallError, TaskCallError, taskCallErrors, type TaskCallErrorCode } from "./error.ts";
export type { SessionTasks, StartedTask, TaskReference } from "./session-tasks.ts";
export { taskClient, type TaskClientOptions } from "./task-client.ts";
export type { RemoteTask } from "./task.ts";
