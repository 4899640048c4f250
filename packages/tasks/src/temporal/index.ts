/**
 * Runs tasks as workflows of Temporal, in workers of any process.
 *
 * @packageDocumentation
 */

export {
  responsesSignal,
  stateQuery,
  temporalTask,
  type TemporalTask,
  type TemporalTaskLimits,
  type TemporalTaskOptions,
} from "./task.ts";
export type { TemporalHandle, TemporalStart, TemporalWorkflows } from "./client.ts";
export type { JobOutcomeOptions } from "../jobs/outcome.ts";
