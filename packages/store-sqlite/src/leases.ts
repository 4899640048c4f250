import { checkLeaseNames, createStoreCalls, nextFence, type Lease, type Leases } from "@tenon/stores";

import type { Connection } from "./database.ts";

/** How long the fence of a lease that ended is kept, in milliseconds. */
const fenceMs = 86_400_000;

/** Creates the leases of a database. */
export function createLeases({ row, run, write, date }: Connection): Leases {
  const calls = createStoreCalls("Leases object");

  function find(key: string): Lease | undefined {
    const found = row("SELECT * FROM tenon_lease WHERE key = ? AND expires_at > ?", key, date());
    return found === undefined
      ? undefined
      : {
          fence: Number(found["fence"]),
          holder: String(found["holder"]),
          expiresAt: Number(found["expires_at"]),
        };
  }

  return {
    acquire: (key, holder, leaseMs, { takeOver = false } = {}) =>
      calls.run(() => {
        checkLeaseNames(key, holder);
        return write(() => {
          const before = find(key);
          if (before !== undefined && before.holder !== holder && !takeOver) {
            return undefined;
          }
          const last = row("SELECT fence FROM tenon_lease WHERE key = ?", key)?.["fence"];
          const fence = nextFence(Number(last ?? 0), date());
          const lease = { fence, holder, expiresAt: date() + leaseMs };
          const old = date() - fenceMs;
          run("DELETE FROM tenon_lease WHERE expires_at BETWEEN ? AND ?", -old, old);
          run("REPLACE INTO tenon_lease VALUES (?, ?, ?, ?)", key, holder, fence, lease.expiresAt);
          return lease;
        });
      }),
    renew: (key, fence, leaseMs) =>
      calls.run(() => {
        const now = date();
        const sql = "UPDATE tenon_lease SET expires_at = ? WHERE key = ? AND fence = ? AND expires_at > ?";
        return run(sql, now + leaseMs, key, fence, now) > 0;
      }),
    // The row stays, because the next fence must be greater. Its date is negative, so that the
    // lease is free even if the clock is set back.
    release: (key, fence) =>
      calls.run(() => {
        const now = date();
        const sql = "UPDATE tenon_lease SET expires_at = ? WHERE key = ? AND fence = ? AND expires_at > ?";
        return run(sql, -now, key, fence, now) > 0;
      }),
    current: (key) => calls.run(() => find(key)),
    close: () => calls.close(),
    [Symbol.asyncDispose]: () => calls.close(),
  };
}
