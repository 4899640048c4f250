/**
 * Tasks of a server: the extension of 2026-07-28 and the core feature of 2025-11-25, from one
 * engine.
 *
 * @packageDocumentation
 */

import type { RemoteTask } from "../client/task.ts";
import type { TaskControls, ToolTask, TaskMode } from "./tool-task.ts";

declare module "@tenon/mcp" {
  interface ToolExtensionOptions {
    /**
     * Calls of the tool run as tasks, for clients that support tasks. Requires
     * `server.use(tasks(…))`.
     */
    readonly task?: TaskMode | ToolTask | undefined;
  }
  interface InputExtensionOptions {
    /**
     * Whether a client of 2025-11-25 keeps the request as a task, if it supports that: it responds
     * at once, and the server polls for the response. `ttlMs` suggests the lifetime of the task, in
     * milliseconds. Requires `server.use(tasks(…))`. Default: `false`.
     */
    readonly task?: boolean | { readonly ttlMs?: number | undefined } | undefined;
    /** Called with each state of the task that the request has become. */
    readonly onTask?: ((task: RemoteTask) => void) | undefined;
  }
  interface ContextExtensionProperties {
    /** The task in which the handler runs; `undefined` if it runs in its request. */
    readonly task?: TaskControls | undefined;
  }
}

export { isTaskCallError, TaskCallError, taskCallErrors, type TaskCallErrorCode } from "../client/error.ts";
export type { RemoteTask } from "../client/task.ts";
export { tasks, type TasksLimits, type TasksOptions } from "./tasks.ts";
export type { Job, JobBackend, TaskControls, TaskMode, ToolTask } from "./tool-task.ts";
