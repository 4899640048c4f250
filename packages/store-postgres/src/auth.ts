import {
  checkAuthEntry,
  createAuthLock,
  createStoreCalls,
  generationMs,
  quoted,
  unquoted,
  type AuthStore,
  type Leases,
} from "@tenon/stores";

import type { Connection } from "./pool.ts";
import { upkeepOf } from "./upkeep.ts";

/** Whether a row has a value. */
const isStored = "(s.value IS NOT NULL AND (s.expires_at IS NULL OR s.expires_at > {now}))";
/** A generation is at least the date, so that it is new after the row was deleted. */
const next = "greatest(s.generation + 1, {now})";

const put = `INSERT INTO tenon_auth AS s VALUES ($1, $2, {now}, $3)
  ON CONFLICT (key) DO UPDATE SET value = excluded.value, expires_at = excluded.expires_at, generation = ${next}
  WHERE $4 OR NOT ${isStored} RETURNING generation`;

const replace = `UPDATE tenon_auth AS s SET value = $2, expires_at = $3, generation = ${next}
  WHERE key = $1 AND generation = $4 AND ${isStored} RETURNING generation`;

/** The row stays, because its generation must not be used again. */
const remove = `UPDATE tenon_auth AS s SET value = NULL, expires_at = {now}
  WHERE key = $1 AND ($2::bigint IS NULL OR generation = $2) AND ${isStored} RETURNING 1`;

/** Creates the auth store of a pool. */
export function createAuthStore(
  { row, timeoutMs }: Connection,
  leases: Leases,
): AuthStore & { close(): Promise<void> } {
  const calls = createStoreCalls("Auth store", timeoutMs);
  const clean = upkeepOf(row, "tenon_auth", "expires_at", generationMs);
  return {
    get: (key) =>
      calls.run(async () => {
        checkAuthEntry(key);
        const found = await row(
          `SELECT value, generation FROM tenon_auth AS s WHERE key = $1 AND ${isStored}`,
          key,
        );
        return found === undefined
          ? undefined
          : { value: unquoted(found["value"]), generation: Number(found["generation"]) };
      }),
    put: (key, value, { ifGeneration, expiresAt = null } = {}) =>
      calls.run(async () => {
        checkAuthEntry(key, value);
        const written =
          typeof ifGeneration === "number"
            ? await row(replace, key, quoted(value), expiresAt, ifGeneration)
            : await row(put, key, quoted(value), expiresAt, ifGeneration === undefined);
        clean();
        return written === undefined ? "conflict" : Number(written["generation"]);
      }),
    delete: (key, { ifGeneration = null } = {}) =>
      calls.run(async () => {
        checkAuthEntry(key);
        return (await row(remove, key, ifGeneration)) !== undefined;
      }),
    lock: createAuthLock(leases),
    close: () => calls.close(),
  };
}
