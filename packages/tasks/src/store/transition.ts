import type { LeaseRequest } from "./contract.ts";
import { isFinal, type NewTask, type TaskPatch, type TaskRecord } from "./record.ts";

/** Returns the first record of a task. @param now - The time of the store. */
export function createdRecord(task: NewTask, lease: LeaseRequest | undefined, now: number): TaskRecord {
  const { id, principal, name, definitionVersion, external, state, statusMessage, questions } = task;
  const { outcome, ttlMs, pollIntervalMs, maxAttempts } = task;
  checkOutcome(state, outcome);
  const isLeased = lease !== undefined && state === "working";
  return {
    id,
    version: 1,
    principal,
    name,
    definitionVersion,
    external,
    arguments: task.arguments,
    data: task.data,
    state,
    statusMessage,
    progress: undefined,
    questions,
    outcome,
    createdAt: now,
    updatedAt: now,
    ttlMs,
    expiresAt: ttlMs === null ? null : now + ttlMs,
    pollIntervalMs,
    cancelRequested: false,
    attempt: isLeased ? 1 : 0,
    maxAttempts,
    fence: isLeased ? 1 : 0,
    worker: isLeased ? lease.worker : undefined,
    leaseUntil: isLeased ? now + lease.leaseMs : 0,
  };
}

/** Returns a record after a change. @param now - The time of the store. */
export function patchedRecord(before: TaskRecord, patch: TaskPatch, now: number): TaskRecord {
  const state = patch.state ?? before.state;
  checkOutcome(state, patch.outcome);
  const ttlMs = patch.ttlMs === undefined ? before.ttlMs : patch.ttlMs;
  const isLeased = before.worker !== undefined && state === "working" && patch.release !== true;
  return {
    ...before,
    version: before.version + 1,
    state,
    statusMessage: patch.statusMessage ?? before.statusMessage,
    progress: patch.progress ?? before.progress,
    questions: patch.questions ?? before.questions,
    outcome: patch.outcome,
    updatedAt: Math.max(now, before.updatedAt),
    ttlMs,
    expiresAt: expiryOf(before, patch, ttlMs, now),
    pollIntervalMs: patch.pollIntervalMs ?? before.pollIntervalMs,
    cancelRequested: patch.cancelRequested ?? before.cancelRequested,
    attempt: patch.attempt ?? before.attempt,
    worker: isLeased ? before.worker : undefined,
    leaseUntil: isLeased ? before.leaseUntil : 0,
  };
}

/** Returns a record with a new lease. @param now - The time of the store. */
export function leasedRecord(before: TaskRecord, { worker, leaseMs }: LeaseRequest, now: number): TaskRecord {
  return {
    ...before,
    attempt: before.attempt + 1,
    fence: before.fence + 1,
    worker,
    leaseUntil: now + leaseMs,
  };
}

/** Whether a task can be claimed, now or when its lease has ended. */
export function isRunnable({ state, external }: TaskRecord): boolean {
  return state === "working" && !external;
}

/** Whether a task has ended and reached the end of its lifetime, and can no longer be read. */
export function isGone({ state, expiresAt }: TaskRecord, now: number): boolean {
  return expiresAt !== null && expiresAt <= now && isFinal(state);
}

function expiryOf(
  { createdAt, expiresAt }: TaskRecord,
  patch: TaskPatch,
  ttlMs: number | null,
  now: number,
): number | null {
  if (ttlMs === null) {
    return null;
  }
  const end = patch.ttlMs === undefined && expiresAt !== null ? expiresAt : createdAt + ttlMs;
  return patch.retainMs === undefined ? end : Math.max(end, now + patch.retainMs);
}

function checkOutcome(state: TaskRecord["state"], outcome: string | undefined): void {
  if (isFinal(state) !== (outcome !== undefined)) {
    throw new TypeError(
      `Outcome must be given if and only if its state is final; got state ${state} ${outcome === undefined ? "without" : "with"} an outcome.`,
    );
  }
}
