/**
 * Parts for authors of task stores on databases: they implement the steps of `TaskRows`, and
 * `createTaskStore` adds the rules.
 *
 * @packageDocumentation
 */

export { countsOf, taskColumns, taskOfRow, type TaskColumns } from "./rows/columns.ts";
export type { ReadRow, TaskRow, TaskRows } from "./rows/contract.ts";
export { claimableAt, decodeTask, encodeTask, type LeaseColumns } from "./rows/encode.ts";
export { createTaskStore } from "./rows/store.ts";
