import { createStoreCalls, quoted, takeFrom, type RateLimits } from "@tenon/stores";

import type { Connection } from "./database.ts";

/** Creates the rate limits of a database. */
export function createRateLimits({ row, run, write, date }: Connection): RateLimits {
  const calls = createStoreCalls("Rate limits object");
  return {
    take: (key, rule, cost = 1) =>
      calls.run(() =>
        write(() => {
          const now = date();
          const before = row("SELECT full_at FROM tenon_rate WHERE key = ?", quoted(key))?.["full_at"];
          const { decision, fullAt } = takeFrom(Number(before ?? 0), rule, cost, now);
          run("DELETE FROM tenon_rate WHERE full_at <= ?", now);
          run("REPLACE INTO tenon_rate VALUES (?, ?)", quoted(key), fullAt);
          return decision;
        }),
      ),
    close: () => calls.close(),
    [Symbol.asyncDispose]: () => calls.close(),
  };
}
