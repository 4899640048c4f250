import type { TaskRecord } from "@tenon/tasks";
import { taskColumns } from "@tenon/tasks/rows";

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
  const rows = records.map((record) => taskColumns(record));
  return columnNames.map((_, column) => rows.map((values) => values[column]));
}
