import { checkLeaseNames, createStoreCalls, type Lease, type Leases } from "@tenon/stores";

import type { Connection, Row } from "./pool.ts";
import { upkeepOf } from "./upkeep.ts";

/** How long the fence of a lease that ended is kept, in milliseconds. */
const fenceMs = 86_400_000;

/** Creates the leases of a pool. */
export function createLeases({ row, timeoutMs }: Connection): Leases {
  const calls = createStoreCalls("Leases object", timeoutMs);
  const clean = upkeepOf(row, "tenon_lease", "expires_at", fenceMs);
  return {
    acquire: (key, holder, leaseMs, { takeOver = false } = {}) =>
      calls.run(async () => {
        checkLeaseNames(key, holder);
        // The fence is at least the date, so that it grows after the row was deleted.
        const acquired = await row(
          `INSERT INTO tenon_lease AS l VALUES ($1, $2, {now}, {now} + $3::bigint)
          ON CONFLICT (key) DO UPDATE SET holder = excluded.holder,
            fence = greatest(l.fence + 1, excluded.fence), expires_at = excluded.expires_at
          WHERE l.expires_at <= {now} OR l.holder = excluded.holder OR $4 RETURNING *`,
          key,
          holder,
          Math.round(leaseMs),
          takeOver,
        );
        clean();
        return leaseOf(acquired);
      }),
    renew: (key, fence, leaseMs) =>
      calls.run(async () => {
        const sql = `UPDATE tenon_lease SET expires_at = {now} + $3::bigint
          WHERE key = $1 AND fence = $2 AND expires_at > {now} RETURNING 1`;
        return (await row(sql, key, fence, Math.round(leaseMs))) !== undefined;
      }),
    // The row stays, because the next fence must be greater.
    release: (key, fence) =>
      calls.run(async () => {
        const sql = `UPDATE tenon_lease SET expires_at = {now}
          WHERE key = $1 AND fence = $2 AND expires_at > {now} RETURNING 1`;
        return (await row(sql, key, fence)) !== undefined;
      }),
    current: (key) =>
      calls.run(async () =>
        leaseOf(await row("SELECT * FROM tenon_lease WHERE key = $1 AND expires_at > {now}", key)),
      ),
    close: () => calls.close(),
    [Symbol.asyncDispose]: () => calls.close(),
  };
}

function leaseOf(row: Row | undefined): Lease | undefined {
  return row === undefined
    ? undefined
    : {
        fence: Number(row["fence"]),
        holder: row["holder"] as string,
        expiresAt: Number(row["expires_at"]),
      };
}
