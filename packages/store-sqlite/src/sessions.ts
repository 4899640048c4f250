import {
  createStoreCalls,
  openedSession,
  quoted,
  sessionOfRow,
  StoreError,
  unquoted,
  type SessionStore,
} from "@tenon/stores";

import type { Connection } from "./database.ts";

/** Creates the session store of a database. */
export function createSessionStore({ row, rows, run, write, date }: Connection): SessionStore {
  const calls = createStoreCalls("Session store");
  return {
    create: (session, ttlMs) =>
      calls.run(() =>
        write(() => {
          const now = date();
          const id = quoted(session.id);
          run("DELETE FROM tenon_session WHERE id = ? AND expires_at <= ?", id, now);
          const record = openedSession(session, ttlMs, now);
          const { principal, opening, facts, node, createdAt, expiresAt } = record;
          const inserted = run(
            "INSERT INTO tenon_session VALUES (?, 1, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
            id,
            principal === undefined ? null : quoted(principal),
            quoted(opening),
            quoted(facts),
            node === undefined ? null : quoted(node),
            createdAt,
            expiresAt,
          );
          if (inserted === 0) {
            throw new StoreError("SESSION_EXISTS", "A session with this ID exists.");
          }
          return record;
        }),
      ),
    get: (id, principal) =>
      calls.run(() => {
        const found = row("SELECT * FROM tenon_session WHERE id = ? AND expires_at > ?", quoted(id), date());
        const record = found === undefined ? undefined : sessionOfRow(found);
        return record?.principal === principal ? record : undefined;
      }),
    update: (id, version, { facts, node }) =>
      calls.run(() =>
        write(() => {
          const now = date();
          const found = row(
            `UPDATE tenon_session SET version = version + 1, facts = coalesce(?, facts),
              node = CASE WHEN ? THEN ? ELSE node END
            WHERE id = ? AND version = ? AND expires_at > ? RETURNING *`,
            facts === undefined ? null : quoted(facts),
            node === undefined ? 0 : 1,
            typeof node === "string" ? quoted(node) : null,
            quoted(id),
            version,
            now,
          );
          if (found !== undefined) {
            return sessionOfRow(found);
          }
          const exists = row("SELECT 1 FROM tenon_session WHERE id = ? AND expires_at > ?", quoted(id), now);
          return exists === undefined ? "gone" : "conflict";
        }),
      ),
    touch: (id, ttlMs) =>
      calls.run(() => {
        const now = date();
        const touched = run(
          "UPDATE tenon_session SET expires_at = max(expires_at, ?) WHERE id = ? AND expires_at > ?",
          now + ttlMs,
          quoted(id),
          now,
        );
        return touched > 0;
      }),
    delete: (id) =>
      calls.run(
        () => run("DELETE FROM tenon_session WHERE id = ? AND expires_at > ?", quoted(id), date()) > 0,
      ),
    list: (principal, limit) =>
      calls.run(() =>
        rows(
          "SELECT id FROM tenon_session WHERE principal = ? AND expires_at > ? ORDER BY created_at, id LIMIT ?",
          quoted(principal),
          date(),
          limit,
        ).map((found) => unquoted(found["id"])),
      ),
    sweep: (limit) =>
      calls.run(() =>
        rows(
          `DELETE FROM tenon_session WHERE id IN
            (SELECT id FROM tenon_session WHERE expires_at <= ? ORDER BY expires_at LIMIT ?) RETURNING *`,
          date(),
          limit,
        ).map(sessionOfRow),
      ),
    close: () => calls.close(),
    [Symbol.asyncDispose]: () => calls.close(),
  };
}
