import { createStoreCalls, quoted, type ReplayStore } from "@tenon/stores";

import type { Connection } from "./pool.ts";
import { upkeepOf } from "./upkeep.ts";

/** Creates the replay store of a pool. */
export function createReplayStore({ row, timeoutMs }: Connection): ReplayStore & { close(): Promise<void> } {
  const calls = createStoreCalls("Replay store", timeoutMs);
  const clean = upkeepOf(row, "tenon_replay", "until");
  return {
    add: (key, until) =>
      calls.run(async () => {
        const sql = `INSERT INTO tenon_replay AS r VALUES ($1, $2)
          ON CONFLICT (key) DO UPDATE SET until = excluded.until WHERE r.until <= {now} RETURNING 1`;
        const added = await row(sql, quoted(key), until);
        clean();
        return added !== undefined;
      }),
    close: () => calls.close(),
  };
}
