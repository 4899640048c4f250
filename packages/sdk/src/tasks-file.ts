/**
 * A store that keeps tasks in files, for one process (Node.js).
 *
 * @packageDocumentation
 */

export * from "@tenon/tasks/file";
