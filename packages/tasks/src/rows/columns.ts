import type { TaskCounts } from "../store/contract.ts";
import { isFinal, type TaskRecord } from "../store/record.ts";
import type { TaskRow } from "./contract.ts";
import { claimableAt, decodeTask, encodeTask } from "./encode.ts";

/** The values of {@link taskColumns}. */
export type TaskColumns = readonly [
  principal: string,
  name: string,
  isFinal: boolean,
  record: string,
  createdAt: number,
  expiresAt: number | null,
  claimAt: number | null,
  attempt: number,
  fence: number,
  worker: string | null,
  leaseUntil: number,
];

/**
 * Returns the values of a task in a table of SQL. Texts of users are JSON strings, which have no
 * NUL characters. For authors of {@link TaskRows}.
 */
export function taskColumns(record: TaskRecord): TaskColumns {
  const { principal, name, state, createdAt, expiresAt, attempt, fence, worker, leaseUntil } = record;
  return [
    JSON.stringify(principal),
    JSON.stringify(name),
    isFinal(state),
    encodeTask(record),
    createdAt,
    expiresAt,
    claimableAt(record) ?? null,
    attempt,
    fence,
    worker === undefined ? null : JSON.stringify(worker),
    leaseUntil,
  ];
}

/**
 * Returns the task of a row with the columns `record`, `revision`, `attempt`, `fence`, `worker` and
 * `lease_until`, as {@link taskColumns} wrote them. For authors of {@link TaskRows}.
 */
export function taskOfRow(row: Readonly<Record<string, unknown>>): TaskRow {
  const { worker } = row;
  const record = decodeTask(String(row["record"]), {
    attempt: Number(row["attempt"]),
    fence: Number(row["fence"]),
    worker: worker === null ? undefined : (JSON.parse(worker as string) as string),
    leaseUntil: Number(row["lease_until"]),
  });
  return { record, revision: Number(row["revision"]) };
}

/**
 * Returns the counts of a row with the columns `queued`, `running` and `waiting`. For authors of
 * {@link TaskRows}.
 */
export function countsOf(row: Readonly<Record<string, unknown>> = {}): TaskCounts {
  const { queued = 0, running = 0, waiting = 0 } = row;
  return { queued: Number(queued), running: Number(running), waiting: Number(waiting) };
}
