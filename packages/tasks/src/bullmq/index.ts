/**
 * Runs tasks as jobs of a BullMQ queue, in workers of any process.
 *
 * @packageDocumentation
 */

export { bullTask, type BullTask, type BullTaskOptions } from "./task.ts";
export type { BullJob, BullJobData, BullQueue } from "./queue.ts";
export type { JobOutcomeOptions } from "../jobs/outcome.ts";
