import { createStoreCalls, quoted, unquoted } from "@tenon/stores";
import { isFinal, TaskError, type TaskRecord, type TaskStore } from "@tenon/tasks";
import { claimableAt, createTaskStore, decodeTask, encodeTask, type TaskRow } from "@tenon/tasks/rows";

import { createNotifications } from "./listener.ts";
import type { Connection, Row } from "./pool.ts";

/** Creates the task store of a pool. */
export function createTasks(
  { pool, timeoutMs, ...connection }: Connection,
  channel: string,
  maxTasksPerPrincipal: number,
): TaskStore {
  const calls = createStoreCalls("PostgreSQL", timeoutMs);
  const rows: Connection["rows"] = (text, ...values) => calls.run(() => connection.rows(text, ...values));
  const row: Connection["row"] = (text, ...values) => calls.run(() => connection.row(text, ...values));
  const listeners = new Set<(id: string, version: number) => void>();
  const notifications = createNotifications(pool, channel, {
    message(payload) {
      const { id, version } = JSON.parse(payload) as { readonly id: string; readonly version: number };
      listeners.forEach((listener) => listener(id, version));
    },
    restored: () => undefined,
  });

  return createTaskStore({
    now: async () => Number((await row("SELECT {now} AS now"))?.["now"]),
    async read(id) {
      const found = await row(
        "SELECT * FROM (SELECT {now} AS now) AS clock LEFT JOIN tenon_task ON id = $1",
        quoted(id),
      );
      const now = Number(found?.["now"]);
      return { row: found === undefined || found["id"] === null ? undefined : taskOf(found), now };
    },
    async insert(record) {
      const inserted = await row(
        `WITH inserted AS (
          INSERT INTO tenon_task
          SELECT $1, 1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12
          WHERE $13::float8 IS NULL OR (SELECT count(*) FROM tenon_task WHERE principal = $2) < $13
          ON CONFLICT (id) DO NOTHING RETURNING id)
        SELECT pg_notify($14, $15) FROM inserted`,
        quoted(record.id),
        ...columnsOf(record),
        record.principal === "" || maxTasksPerPrincipal === Infinity ? null : maxTasksPerPrincipal,
        channel,
        announcement(record),
      );
      if (inserted !== undefined) {
        return true;
      }
      if ((await row("SELECT 1 FROM tenon_task WHERE id = $1", quoted(record.id))) === undefined) {
        const message = `Task store is full: the limit is ${maxTasksPerPrincipal} (maxTasksPerPrincipal).`;
        throw new TaskError("STORE_FULL", message);
      }
      return false;
    },
    async replace({ record, revision }, after, entries) {
      const replaced = await row(
        `WITH replaced AS (
          UPDATE tenon_task SET revision = revision + 1, principal = $2, name = $3, is_final = $4, record = $5,
            created_at = $6, expires_at = $7, claim_at = $8, attempt = $9, fence = $10, worker = $11,
            lease_until = $12
          WHERE id = $1 AND revision = $13 RETURNING id),
        appended AS (
          INSERT INTO tenon_task_journal (task, kind, key, value)
          SELECT replaced.id, entry.kind, entry.key, entry.value FROM replaced,
            unnest($14::text[], $15::text[], $16::text[]) WITH ORDINALITY AS entry (kind, key, value, place)
          ORDER BY place
          ON CONFLICT (task, kind, key) DO NOTHING)
        SELECT CASE WHEN $17 THEN pg_notify($18, $19)::text END FROM replaced`,
        quoted(after.id),
        ...columnsOf(after),
        revision,
        entries.map(({ kind }) => kind),
        entries.map(({ key }) => quoted(key)),
        entries.map(({ value }) => quoted(value)),
        record.version !== after.version,
        channel,
        announcement(after),
      );
      return replaced !== undefined;
    },
    async journal(id) {
      const sql = "SELECT kind, key, value FROM tenon_task_journal WHERE task = $1 ORDER BY position";
      return (await rows(sql, quoted(id))).map(({ kind, key, value }) => ({
        kind: kind === "step" ? "step" : "answer",
        key: unquoted(key),
        value: unquoted(value),
      }));
    },
    async claim({ worker, leaseMs, limit, names, except = [] }) {
      const claimed = await rows(
        `WITH ready AS MATERIALIZED (
          SELECT id AS ready_id, claim_at AS ready_at FROM tenon_task
          WHERE claim_at <= {now} AND ($1::text[] IS NULL OR name = ANY($1)) AND principal <> ALL($2::text[])
          ORDER BY claim_at, created_at, id LIMIT $3
          FOR UPDATE SKIP LOCKED)
        UPDATE tenon_task SET revision = revision + 1, attempt = attempt + 1, fence = fence + 1, worker = $4,
          lease_until = {now} + $5::bigint, claim_at = {now} + $5::bigint
        FROM ready WHERE id = ready_id RETURNING tenon_task.*, ready_at`,
        names?.map(quoted) ?? null,
        except.map(quoted),
        limit,
        quoted(worker),
        Math.round(leaseMs),
      );
      return claimed
        .map((found) => ({ at: Number(found["ready_at"]), record: taskOf(found).record }))
        .sort((a, b) => a.at - b.at || a.record.createdAt - b.record.createdAt)
        .map(({ record }) => record);
    },
    async renew(id, fence, leaseMs) {
      const sql = `UPDATE tenon_task SET revision = revision + 1, lease_until = {now} + $3::bigint,
          claim_at = {now} + $3::bigint
        WHERE id = $1 AND fence = $2 AND worker IS NOT NULL RETURNING 1`;
      return (await row(sql, quoted(id), fence, Math.round(leaseMs))) !== undefined;
    },
    async list(principal, after, limit) {
      const found = await rows(
        `SELECT * FROM tenon_task WHERE principal = $1 AND (created_at, id) > ($2::bigint, $3)
          AND NOT (is_final AND expires_at IS NOT NULL AND expires_at <= {now})
        ORDER BY created_at, id LIMIT $4`,
        quoted(principal),
        after?.createdAt ?? -1,
        after === undefined ? "" : quoted(after.id),
        limit,
      );
      return found.map((task) => taskOf(task).record);
    },
    async sweep(limit) {
      const due = await rows(
        `SELECT * FROM tenon_task WHERE expires_at <= {now} ORDER BY expires_at LIMIT $1`,
        limit,
      );
      const ended = due.filter((task) => task["is_final"] === true).map((task) => task["id"]);
      const deleted = await rows("DELETE FROM tenon_task WHERE id = ANY($1::text[]) RETURNING 1", ended);
      const overdue = due.filter((task) => task["is_final"] !== true).map((task) => taskOf(task).record);
      return { deleted: deleted.length, overdue };
    },
    async watch(changed) {
      const called = (id: string, version: number): void => changed(id, version);
      listeners.add(called);
      try {
        await calls.run(() => notifications.start());
      } catch (error) {
        listeners.delete(called);
        throw error;
      }
      return {
        [Symbol.asyncDispose]: () => {
          listeners.delete(called);
          return Promise.resolve();
        },
      };
    },
    async close() {
      listeners.clear();
      notifications.close();
      await calls.close();
    },
  });
}

/** The columns of a task after `id` and `revision`. */
function columnsOf(record: TaskRecord): unknown[] {
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

function taskOf(found: Row): TaskRow {
  const { worker } = found;
  const record = decodeTask(found["record"] as string, {
    attempt: Number(found["attempt"]),
    fence: Number(found["fence"]),
    worker: worker === null ? undefined : unquoted(worker),
    leaseUntil: Number(found["lease_until"]),
  });
  return { record, revision: Number(found["revision"]) };
}

function announcement({ id, version }: TaskRecord): string {
  return JSON.stringify({ id, version });
}
