import { quoted, unquoted } from "@tenon/stores";
import { isFinal, type TaskRecord } from "@tenon/tasks";
import { claimableAt, decodeTask, encodeTask, type TaskRow } from "@tenon/tasks/rows";

import type { Row } from "./pool.ts";

/** The columns of a task after `revision`, with their types, in the order of the table. */
const columns = {
  principal: "text",
  name: "text",
  is_final: "boolean",
  record: "text",
  created_at: "bigint",
  expires_at: "float8",
  claim_at: "bigint",
  attempt: "integer",
  fence: "bigint",
  worker: "text",
  lease_until: "bigint",
} as const;

/** The names of the columns. */
export const columnNames: readonly string[] = Object.keys(columns);

/**
 * Returns SQL for the rows of {@link columnsOf}: `unnest(…) AS task (…)`.
 *
 * @param first - The number of the first parameter.
 */
export function tasksFrom(first: number): string {
  const parameters = Object.values(columns).map((type, index) => `$${first + index}::${type}[]`);
  return `unnest(${parameters.join(", ")})`;
}

/** Returns the values of tasks, one array for each column. */
export function columnsOf(records: readonly TaskRecord[]): readonly (readonly unknown[])[] {
  const rows = records.map((record) => valuesOf(record));
  return columnNames.map((_, column) => rows.map((values) => values[column]));
}

function valuesOf(record: TaskRecord): readonly unknown[] {
  const { principal, name, state, createdAt, expiresAt, attempt, fence, worker, leaseUntil } = record;
  return [
    quoted(principal),
    quoted(name),
    isFinal(state),
    encodeTask(record),
    createdAt,
    expiresAt,
    claimableAt(record) ?? null,
    attempt,
    fence,
    worker === undefined ? null : quoted(worker),
    leaseUntil,
  ];
}

/** Returns the task of a row of the table. */
export function taskOf(found: Row): TaskRow {
  const { worker } = found;
  const record = decodeTask(found["record"] as string, {
    attempt: Number(found["attempt"]),
    fence: Number(found["fence"]),
    worker: worker === null ? undefined : unquoted(worker),
    leaseUntil: Number(found["lease_until"]),
  });
  return { record, revision: Number(found["revision"]) };
}
