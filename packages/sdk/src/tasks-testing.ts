/**
 * The checks that a store of tasks has to pass.
 *
 * @packageDocumentation
 */

export * from "@tenon/tasks/testing";
