/**
 * Tasks of a server: calls of tools whose results are read later.
 *
 * @packageDocumentation
 */

export * from "@tenon/tasks/server";
