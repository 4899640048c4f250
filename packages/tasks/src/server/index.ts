/**
 * Tasks of a server: the extension of 2026-07-28 and the core feature of 2025-11-25, from one
 * engine.
 *
 * @packageDocumentation
 */

import type { TaskControls, ToolTask, TaskMode } from "./tool-task.ts";

declare module "@tenon/mcp" {
  interface ToolExtensionOptions {
    /**
     * Calls of the tool run as tasks, for clients that support tasks. Requires
     * `server.use(tasks(…))`.
     */
    readonly task?: TaskMode | ToolTask | undefined;
  }
  interface ContextExtensionProperties {
    /** The task in which the handler runs; `undefined` if it runs in its request. */
    readonly task?: TaskControls | undefined;
  }
}

export { tasks, type TasksOptions } from "./tasks.ts";
export type { Job, JobBackend, TaskControls, TaskMode, ToolTask } from "./tool-task.ts";
