import { createBusListeners, createStoreCalls, quoted, unquoted } from "@tenon/stores";
import { TaskError, type TaskStore } from "@tenon/tasks";
import { countsOf, createTaskStore, taskOfRow } from "@tenon/tasks/rows";

import { createAnnouncer } from "./announcer.ts";
import { createNotifications } from "./listener.ts";
import type { Connection } from "./pool.ts";
import { createTaskGroups, type TaskLimits } from "./task-groups.ts";

/** Creates the task store of a pool. */
export function createTasks(
  connection: Connection,
  channel: string,
  limits: TaskLimits,
  onError: (error: unknown) => void,
): TaskStore {
  const { pool, timeoutMs } = connection;
  const calls = createStoreCalls("PostgreSQL", timeoutMs);
  const rows: Connection["rows"] = (text, ...values) => calls.run(() => connection.rows(text, ...values));
  const groups = createTaskGroups(connection.rows, limits);
  const announcer = createAnnouncer(connection, channel, onError);
  const listeners = createBusListeners(onError);
  const notifications = createNotifications(pool, channel, {
    message: (payload) => listeners.message(channel, payload),
    restored: () => undefined,
  });

  return createTaskStore({
    now: async () => (await calls.run(() => groups.read.add(""))).now,
    read: (id) => calls.run(() => groups.read.add(id)),
    async insert(record) {
      if (await calls.run(() => groups.insert.add(record))) {
        announcer.announce(record.id, record.version);
        return true;
      }
      const { row: found } = await calls.run(() => groups.read.add(record.id));
      if (found === undefined) {
        const most = limits.maxTasksPerPrincipal;
        const message = `Task store is full: the limit is ${most} (maxTasksPerPrincipal).`;
        throw new TaskError("STORE_FULL", message);
      }
      return false;
    },
    async replace({ record, revision }, after, entries) {
      const isReplaced = await calls.run(() => groups.replace.add({ revision, after, entries }));
      if (isReplaced && record.version !== after.version) {
        announcer.announce(after.id, after.version);
      }
      return isReplaced;
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
        .map((found) => ({ at: Number(found["ready_at"]), record: taskOfRow(found).record }))
        .sort((a, b) => a.at - b.at || a.record.createdAt - b.record.createdAt)
        .map(({ record }) => record);
    },
    async renew(id, fence, leaseMs) {
      const sql = `UPDATE tenon_task SET revision = revision + 1, lease_until = {now} + $3::bigint,
          claim_at = {now} + $3::bigint
        WHERE id = $1 AND fence = $2 AND worker IS NOT NULL RETURNING 1`;
      return (await rows(sql, quoted(id), fence, Math.round(leaseMs))).length > 0;
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
      return found.map((task) => taskOfRow(task).record);
    },
    async sweep(limit) {
      const due = await rows(
        `SELECT * FROM tenon_task WHERE expires_at <= {now} ORDER BY expires_at LIMIT $1`,
        limit,
      );
      const ended = due.filter((task) => task["is_final"] === true).map((task) => task["id"]);
      const deleted = await rows("DELETE FROM tenon_task WHERE id = ANY($1::text[]) RETURNING 1", ended);
      const overdue = due.filter((task) => task["is_final"] !== true).map((task) => taskOfRow(task).record);
      return { deleted: deleted.length, overdue };
    },
    async count() {
      const [counts] = await rows(
        `SELECT count(*) FILTER (WHERE claim_at <= {now}) AS queued, count(*) FILTER (WHERE claim_at > {now}) AS running,
            count(*) FILTER (WHERE claim_at IS NULL) AS waiting FROM tenon_task WHERE NOT is_final`,
      );
      return countsOf(counts);
    },
    async watch(changed) {
      const remove = listeners.add(channel, {
        message(payload) {
          const { id, version } = JSON.parse(payload) as { readonly id: string; readonly version: number };
          changed(id, version);
        },
        gap: () => undefined,
      });
      try {
        await calls.run(() => notifications.start());
      } catch (error) {
        remove();
        throw error;
      }
      return { [Symbol.asyncDispose]: async () => void remove() };
    },
    async close() {
      listeners.clear();
      notifications.close();
      await announcer.close();
      await calls.close();
    },
  });
}
