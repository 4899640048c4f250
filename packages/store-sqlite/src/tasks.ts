import type { Clock, ResolvedLimits } from "@tenon/base";
import { quoted, unquoted } from "@tenon/stores";
import { TaskError, type JournalEntry, type TaskRecord, type TaskStore } from "@tenon/tasks";
import { countsOf, createTaskStore, taskColumns, taskOfRow, type TaskRows } from "@tenon/tasks/rows";

import type { Connection, SqliteValue } from "./database.ts";
import type { SqliteStoreLimits } from "./limits.ts";
import { createTaskWatch } from "./task-watch.ts";

/** Maximum number of changes that are read at a time. */
const maxChanges = 1000;

/** Creates the task store of a database. */
export function createTasks(
  connection: Connection,
  { maxTasksPerPrincipal, pollIntervalMs }: ResolvedLimits<SqliteStoreLimits>,
  timers: Clock,
): TaskStore {
  const { row, rows, run, write, date } = connection;

  function appendAll(id: string, entries: readonly JournalEntry[]): void {
    for (const { kind, key, value } of entries) {
      run(
        `INSERT INTO tenon_task_journal
        SELECT ?1, coalesce(max(position), 0) + 1, ?2, ?3, ?4 FROM tenon_task_journal WHERE task = ?1
        ON CONFLICT DO NOTHING`,
        id,
        kind,
        quoted(key),
        quoted(value),
      );
    }
  }

  /** The number of the next change. */
  function nextChange(): number {
    return Number(row("UPDATE tenon_task_counter SET value = value + 1 RETURNING value")?.["value"]);
  }

  function requireRoom(principal: string): void {
    const sql = "SELECT count(*) AS count FROM tenon_task WHERE principal = ?";
    if (principal !== "" && Number(row(sql, quoted(principal))?.["count"]) >= maxTasksPerPrincipal) {
      const message = `Task store is full: the limit is ${maxTasksPerPrincipal} (maxTasksPerPrincipal).`;
      throw new TaskError("STORE_FULL", message);
    }
  }

  const watch = createTaskWatch(
    {
      last: () => Number(row("SELECT value FROM tenon_task_counter")?.["value"]),
      after(last) {
        const sql = "SELECT * FROM tenon_task WHERE change > ? ORDER BY change LIMIT ?";
        return rows(sql, last, maxChanges).map((found) => {
          const { id, version } = taskOfRow(found).record;
          return { change: Number(found["change"]), id, version };
        });
      },
    },
    pollIntervalMs,
    timers,
  );

  const tasks: TaskRows = {
    now: async () => date(),
    async read(id) {
      const found = row("SELECT * FROM tenon_task WHERE id = ?", quoted(id));
      return { row: found === undefined ? undefined : taskOfRow(found), now: date() };
    },
    async insert(record) {
      const isNew = write(() => {
        if (row("SELECT 1 FROM tenon_task WHERE id = ?", quoted(record.id)) !== undefined) {
          return false;
        }
        requireRoom(record.principal);
        const marks = Array.from({ length: 11 }, () => "?").join(", ");
        const sql = `INSERT INTO tenon_task VALUES (?, 1, ?, ${marks})`;
        run(sql, quoted(record.id), nextChange(), ...columnsOf(record));
        return true;
      });
      if (isNew) {
        watch.changed(record.id, record.version);
      }
      return isNew;
    },
    async replace({ record: before, revision }, after, entries) {
      const id = quoted(before.id);
      const isChanged = before.version !== after.version;
      const isReplaced = write(() => {
        const replaced = run(
          `UPDATE tenon_task SET revision = revision + 1, principal = ?, name = ?, is_final = ?, record = ?,
            created_at = ?, expires_at = ?, claim_at = ?, attempt = ?, fence = ?, worker = ?, lease_until = ?
          WHERE id = ? AND revision = ?`,
          ...columnsOf(after),
          id,
          revision,
        );
        if (replaced === 0) {
          return false;
        }
        appendAll(id, entries);
        if (isChanged) {
          run("UPDATE tenon_task SET change = ? WHERE id = ?", nextChange(), id);
        }
        return true;
      });
      if (isReplaced && isChanged) {
        watch.changed(before.id, after.version);
      }
      return isReplaced;
    },
    async journal(id) {
      const sql = "SELECT kind, key, value FROM tenon_task_journal WHERE task = ? ORDER BY position";
      return rows(sql, quoted(id)).map(({ kind, key, value }) => ({
        kind: kind === "step" ? "step" : "answer",
        key: unquoted(key),
        value: unquoted(value),
      }));
    },
    claim: async ({ worker, leaseMs, limit, names, except = [] }) =>
      write(() => {
        const now = date();
        const [named, excepted] = [names?.map(quoted), except.map(quoted)];
        const isNamed = named === undefined ? "1" : `name IN (${named.map(() => "?").join(", ")})`;
        const isExcepted = `principal IN (${excepted.map(() => "?").join(", ")})`;
        const ready = rows(
          `SELECT id FROM tenon_task WHERE claim_at <= ? AND ${isNamed} AND NOT ${isExcepted}
          ORDER BY claim_at, created_at, id LIMIT ?`,
          now,
          ...(named ?? []),
          ...excepted,
          limit,
        );
        return ready.flatMap(({ id }) =>
          rows(
            `UPDATE tenon_task SET revision = revision + 1, attempt = attempt + 1, fence = fence + 1,
              worker = ?, lease_until = ?, claim_at = ?
            WHERE id = ? RETURNING *`,
            quoted(worker),
            now + leaseMs,
            now + leaseMs,
            String(id),
          ).map((found) => taskOfRow(found).record),
        );
      }),
    async renew(id, fence, leaseMs) {
      const until = date() + leaseMs;
      const sql = `UPDATE tenon_task SET revision = revision + 1, lease_until = ?, claim_at = ?
        WHERE id = ? AND fence = ? AND worker IS NOT NULL`;
      return run(sql, until, until, quoted(id), fence) > 0;
    },
    async list(principal, after, limit) {
      return rows(
        `SELECT * FROM tenon_task WHERE principal = ? AND (created_at, id) > (?, ?)
          AND NOT (is_final AND expires_at IS NOT NULL AND expires_at <= ?)
        ORDER BY created_at, id LIMIT ?`,
        quoted(principal),
        after?.createdAt ?? -1,
        after === undefined ? "" : quoted(after.id),
        date(),
        limit,
      ).map((found) => taskOfRow(found).record);
    },
    sweep: async (limit) =>
      write(() => {
        const found = rows(
          "SELECT * FROM tenon_task WHERE expires_at <= ? ORDER BY expires_at LIMIT ?",
          date(),
          limit,
        );
        const ended = found.filter((task) => Number(task["is_final"]) === 1);
        for (const { id } of ended) {
          run("DELETE FROM tenon_task WHERE id = ?", String(id));
          run("DELETE FROM tenon_task_journal WHERE task = ?", String(id));
        }
        const overdue = found.filter((task) => !ended.includes(task)).map((task) => taskOfRow(task).record);
        return { deleted: ended.length, overdue };
      }),
    async count() {
      const now = date();
      const found = row(
        `SELECT count(CASE WHEN claim_at <= ? THEN 1 END) AS queued, count(CASE WHEN claim_at > ? THEN 1 END) AS running,
          count(*) - count(claim_at) AS waiting FROM tenon_task WHERE NOT is_final`,
        now,
        now,
      );
      return countsOf(found);
    },
    watch: async (changed) => watch.add(changed),
    close: async () => watch.close(),
  };
  return createTaskStore(tasks);
}

function columnsOf(record: TaskRecord): SqliteValue[] {
  return taskColumns(record).map((value) => (typeof value === "boolean" ? Number(value) : value));
}
