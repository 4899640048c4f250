import { quoted } from "@tenon/stores";
import type { JournalEntry, TaskRecord } from "@tenon/tasks";
import { taskOfRow, type ReadRow } from "@tenon/tasks/rows";

import { createGroup, type Group, type GroupLimits } from "./group.ts";
import type { Connection } from "./pool.ts";
import { columnNames, columnsOf, tasksFrom } from "./task-row.ts";

/** A task to replace, and entries of its journal. */
export interface Replacement {
  readonly revision: number;
  readonly after: TaskRecord;
  readonly entries: readonly JournalEntry[];
}

/** The statements that run for many tasks together. */
export interface TaskGroups {
  /** Reads a task and the time. */
  readonly read: Group<string, ReadRow>;
  /** Creates a task. @returns False if its ID is taken, or if its principal has too many tasks. */
  readonly insert: Group<TaskRecord, boolean>;
  /** Replaces a task that has this revision. @returns False if its revision differs. */
  readonly replace: Group<Replacement, boolean>;
}

/** Limits of {@link TaskGroups}. */
export interface TaskLimits extends GroupLimits {
  readonly maxTasksPerPrincipal: number;
}

/** Creates {@link TaskGroups}. */
export function createTaskGroups(rows: Connection["rows"], limits: TaskLimits): TaskGroups {
  const { maxTasksPerPrincipal } = limits;
  const mostTasks = maxTasksPerPrincipal === Infinity ? null : maxTasksPerPrincipal;

  async function read(ids: readonly string[]): Promise<ReadRow[]> {
    const found = await rows(
      "SELECT * FROM (SELECT {now} AS now) AS clock LEFT JOIN tenon_task ON id = ANY($1::text[])",
      [...new Set(ids)].map(quoted),
    );
    const now = Number(found[0]?.["now"]);
    const tasks = new Map(found.filter(({ id }) => id !== null).map((task) => [task["id"], taskOfRow(task)]));
    return ids.map((id) => ({ row: tasks.get(quoted(id)), now }));
  }

  async function insert(records: readonly TaskRecord[]): Promise<boolean[]> {
    const inserted = await rows(
      `INSERT INTO tenon_task
      SELECT id, 1, ${columnNames.map((name) => `task.${name}`).join(", ")} FROM (
        SELECT id, task.*, row_number() OVER (PARTITION BY principal ORDER BY place) AS nth
        FROM unnest($1::text[]) WITH ORDINALITY AS key (id, place)
        JOIN ${tasksFrom(3)} WITH ORDINALITY AS task (${columnNames.join(", ")}, place) USING (place)
      ) AS task
      WHERE $2::float8 IS NULL OR principal = '""'
        OR (SELECT count(*) FROM tenon_task AS other WHERE other.principal = task.principal) + nth <= $2
      ORDER BY id COLLATE "C"
      ON CONFLICT (id) DO NOTHING RETURNING id`,
      records.map(({ id }) => quoted(id)),
      mostTasks,
      ...columnsOf(records),
    );
    const ids = new Set(inserted.map(({ id }) => id));
    return records.map(({ id }) => ids.has(quoted(id)));
  }

  async function replace(replacements: readonly Replacement[]): Promise<boolean[]> {
    const entries = replacements.flatMap(({ after, entries: added }) =>
      added.map((entry) => ({ ...entry, task: after.id })),
    );
    const assigned = columnNames.map((name) => `${name} = task.${name}`).join(", ");
    // The rows are locked in one order, so that two processes do not wait for each other.
    const replaced = await rows(
      `WITH task AS MATERIALIZED (
        SELECT key.id, task.* FROM unnest($1::text[], $2::bigint[]) WITH ORDINALITY AS key (id, revision, place)
        JOIN ${tasksFrom(7)} WITH ORDINALITY AS task (${columnNames.join(", ")}, place) USING (place)
        JOIN tenon_task AS before ON before.id = key.id AND before.revision = key.revision
        ORDER BY before.id FOR NO KEY UPDATE OF before),
      replaced AS (
        UPDATE tenon_task SET revision = revision + 1, ${assigned}
        FROM task WHERE tenon_task.id = task.id RETURNING tenon_task.id),
      appended AS (
        INSERT INTO tenon_task_journal (task, kind, key, value)
        SELECT replaced.id, entry.kind, entry.key, entry.value FROM replaced
        JOIN unnest($3::text[], $4::text[], $5::text[], $6::text[])
          WITH ORDINALITY AS entry (task, kind, key, value, place) ON entry.task = replaced.id
        ORDER BY place
        ON CONFLICT (task, kind, key) DO NOTHING)
      SELECT id FROM replaced`,
      replacements.map(({ after }) => quoted(after.id)),
      replacements.map(({ revision }) => revision),
      entries.map(({ task }) => quoted(task)),
      entries.map(({ kind }) => kind),
      entries.map(({ key }) => quoted(key)),
      entries.map(({ value }) => quoted(value)),
      ...columnsOf(replacements.map(({ after }) => after)),
    );
    const ids = new Set(replaced.map(({ id }) => id));
    return replacements.map(({ after }) => ids.has(quoted(after.id)));
  }

  return {
    read: createGroup({ subject: "Reads of tasks", limits, lengthOf: (id) => id.length, run: read }),
    insert: createGroup({
      subject: "New tasks",
      limits,
      lengthOf,
      admits: () => onceEach((record) => record.id),
      run: insert,
    }),
    replace: createGroup({
      subject: "Changes of tasks",
      limits,
      lengthOf: ({ after, entries }) =>
        entries.reduce((sum, { key, value }) => sum + key.length + value.length, lengthOf(after)),
      admits: () => onceEach(({ after }) => after.id),
      run: replace,
    }),
  };
}

/** Returns a function that admits one call for each key. */
function onceEach<Item>(keyOf: (item: Item) => string): (item: Item) => boolean {
  const keys = new Set<string>();
  return (item) => {
    const isNew = !keys.has(keyOf(item));
    keys.add(keyOf(item));
    return isNew;
  };
}

/** The length of the values of a task that are not bounded otherwise. */
function lengthOf({
  arguments: args,
  data,
  outcome = "",
  statusMessage = "",
  progress = "",
  questions,
}: TaskRecord): number {
  const asked = Object.values(questions).reduce((sum, question) => sum + question.length, 0);
  return args.length + data.length + outcome.length + statusMessage.length + progress.length + asked;
}
