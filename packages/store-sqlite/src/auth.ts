import {
  checkAuthEntry,
  createAuthLock,
  createStoreCalls,
  generationMs,
  nextFence,
  quoted,
  unquoted,
  type AuthStore,
  type Leases,
  type Stored,
} from "@tenon/stores";

import type { Connection } from "./database.ts";

/** Creates the auth store of a database. */
export function createAuthStore(
  { row, run, write, date }: Connection,
  leases: Leases,
): AuthStore & { close(): Promise<void> } {
  const calls = createStoreCalls("Auth store");

  function find(key: string): Stored | undefined {
    const sql =
      "SELECT value, generation FROM tenon_auth WHERE key = ? AND value IS NOT NULL AND (expires_at IS NULL OR expires_at > ?)";
    const found = row(sql, key, date());
    return found === undefined
      ? undefined
      : { value: unquoted(found["value"]), generation: Number(found["generation"]) };
  }

  /** Writes a value, or `null` for none, as the next generation. */
  function replace(key: string, value: string | null, expiresAt: number | null): number {
    const last = row("SELECT generation FROM tenon_auth WHERE key = ?", key)?.["generation"];
    const generation = nextFence(Number(last ?? 0), date());
    run("DELETE FROM tenon_auth WHERE expires_at <= ?", date() - generationMs);
    run("REPLACE INTO tenon_auth VALUES (?, ?, ?, ?)", key, value, generation, expiresAt);
    return generation;
  }

  return {
    get: (key) =>
      calls.run(() => {
        checkAuthEntry(key);
        return find(key);
      }),
    put: (key, value, { ifGeneration, expiresAt = null } = {}) =>
      calls.run(() => {
        checkAuthEntry(key, value);
        return write(() => {
          const present = ifGeneration === undefined ? undefined : (find(key)?.generation ?? "absent");
          return present === ifGeneration ? replace(key, quoted(value), expiresAt) : "conflict";
        });
      }),
    // The row stays, because its generation must not be used again.
    delete: (key, { ifGeneration } = {}) =>
      calls.run(() => {
        checkAuthEntry(key);
        return write(() => {
          const present = find(key);
          if (present === undefined || (ifGeneration !== undefined && ifGeneration !== present.generation)) {
            return false;
          }
          replace(key, null, date());
          return true;
        });
      }),
    lock: createAuthLock(leases),
    close: () => calls.close(),
  };
}
