/**
 * Tasks of a client: calls of tools that become tasks are followed until they have a result.
 *
 * @packageDocumentation
 */

export * from "@tenon/tasks/client";
