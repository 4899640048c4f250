/**
 * Helps to write a store of tasks on a database.
 *
 * @packageDocumentation
 */

export * from "@tenon/tasks/rows";
