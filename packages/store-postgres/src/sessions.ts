import {
  createStoreCalls,
  quoted,
  sessionOfRow,
  StoreError,
  unquoted,
  type SessionStore,
} from "@tenon/stores";

import type { Connection } from "./pool.ts";

/** Creates the session store of a pool. */
export function createSessionStore({ row, rows, timeoutMs }: Connection): SessionStore {
  const calls = createStoreCalls("Session store", timeoutMs);
  return {
    create: ({ id, principal, opening, facts, node }, ttlMs) =>
      calls.run(async () => {
        const created = await row(
          `INSERT INTO tenon_session AS s VALUES ($1, 1, $2, $3, $4, $5, {now}, {now} + $6::bigint)
          ON CONFLICT (id) DO UPDATE SET version = 1, principal = excluded.principal,
            opening = excluded.opening, facts = excluded.facts, node = excluded.node,
            created_at = excluded.created_at, expires_at = excluded.expires_at
          WHERE s.expires_at <= {now} RETURNING *`,
          quoted(id),
          optional(principal),
          quoted(opening),
          quoted(facts),
          optional(node),
          Math.round(ttlMs),
        );
        if (created === undefined) {
          throw new StoreError("SESSION_EXISTS", "A session with this ID exists.");
        }
        return sessionOfRow(created);
      }),
    get: (id, principal) =>
      calls.run(async () => {
        const sql = "SELECT * FROM tenon_session WHERE id = $1 AND expires_at > {now}";
        const found = await row(sql, quoted(id));
        const record = found === undefined ? undefined : sessionOfRow(found);
        return record?.principal === principal ? record : undefined;
      }),
    update: (id, version, { facts, node }) =>
      calls.run(async () => {
        const updated = await row(
          `UPDATE tenon_session SET version = version + 1, facts = coalesce($3, facts),
            node = CASE WHEN $4 THEN $5 ELSE node END
          WHERE id = $1 AND version = $2 AND expires_at > {now} RETURNING *`,
          quoted(id),
          version,
          optional(facts),
          node !== undefined,
          optional(node ?? undefined),
        );
        if (updated !== undefined) {
          return sessionOfRow(updated);
        }
        const exists = await row(
          "SELECT 1 FROM tenon_session WHERE id = $1 AND expires_at > {now}",
          quoted(id),
        );
        return exists === undefined ? "gone" : "conflict";
      }),
    touch: (id, ttlMs) =>
      calls.run(async () => {
        const sql = `UPDATE tenon_session SET expires_at = greatest(expires_at, {now} + $2::bigint)
          WHERE id = $1 AND expires_at > {now} RETURNING 1`;
        return (await row(sql, quoted(id), Math.round(ttlMs))) !== undefined;
      }),
    delete: (id) =>
      calls.run(async () => {
        const sql = "DELETE FROM tenon_session WHERE id = $1 AND expires_at > {now} RETURNING 1";
        return (await row(sql, quoted(id))) !== undefined;
      }),
    list: (principal, limit) =>
      calls.run(async () => {
        const sql = `SELECT id FROM tenon_session WHERE principal = $1 AND expires_at > {now}
          ORDER BY created_at, id LIMIT $2`;
        return (await rows(sql, quoted(principal), limit)).map((found) => unquoted(found["id"]));
      }),
    sweep: (limit) =>
      calls.run(async () => {
        // As a subquery, PostgreSQL may run the selection once for each row, and delete more.
        const sql = `WITH due AS MATERIALIZED (
            SELECT id AS due_id FROM tenon_session WHERE expires_at <= {now} ORDER BY expires_at LIMIT $1
            FOR UPDATE SKIP LOCKED)
          DELETE FROM tenon_session USING due WHERE id = due_id RETURNING tenon_session.*`;
        return (await rows(sql, limit)).map(sessionOfRow);
      }),
    close: () => calls.close(),
    [Symbol.asyncDispose]: () => calls.close(),
  };
}

function optional(value: string | undefined): string | null {
  return value === undefined ? null : quoted(value);
}
