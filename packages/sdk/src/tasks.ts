/**
 * Long-running tasks: the engine that runs and keeps them, and a store in memory.
 *
 * @packageDocumentation
 */

export * from "@tenon/tasks";
