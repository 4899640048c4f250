import type { TaskRecord } from "../store/record.ts";
import { isRunnable } from "../store/transition.ts";

/** The part of a record that leases change, which databases keep in columns of their own. */
export type LeaseColumns = Pick<TaskRecord, "attempt" | "fence" | "worker" | "leaseUntil">;

/** Defaults for the properties that JSON omits because they are `undefined`. */
const blank = { statusMessage: undefined, progress: undefined, outcome: undefined, worker: undefined };

/** Returns a record as JSON. For authors of {@link TaskRows}. */
export function encodeTask(record: TaskRecord): string {
  return JSON.stringify(record);
}

/** Returns the record of `encodeTask`, with the newest lease. For authors of {@link TaskRows}. */
export function decodeTask(text: string, lease: LeaseColumns): TaskRecord {
  return { ...blank, ...(JSON.parse(text) as TaskRecord), ...lease };
}

/**
 * Returns when a task can be claimed, in milliseconds since 1970; `undefined` if it cannot. For
 * authors of {@link TaskRows}.
 */
export function claimableAt(record: TaskRecord): number | undefined {
  if (!isRunnable(record)) {
    return undefined;
  }
  return record.worker === undefined ? record.updatedAt : record.leaseUntil;
}
