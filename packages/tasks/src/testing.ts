/**
 * Tools for tests of task stores, with any test runner.
 *
 * @packageDocumentation
 */

export type { TaskStoreUnderTest } from "./testing/check.ts";
export {
  taskStoreConformance,
  type TaskStoreConformanceOptions,
  type TaskStoreFactory,
} from "./testing/store-conformance.ts";
