"use client";

/**
 * A hook for calls of tools that become tasks. Requires `@tenon/tasks`.
 *
 * @packageDocumentation
 */

export type { ToolTaskOptions, ToolTasks } from "./task-store.ts";
export { useTask, type UseTaskOptions } from "./use-task.ts";
