import { createStoreCalls, quoted, takeFrom, type RateLimits } from "@tenon/stores";

import type { Connection } from "./pool.ts";
import { upkeepOf } from "./upkeep.ts";

/** Creates the rate limits of a pool. */
export function createRateLimits({ row, timeoutMs }: Connection): RateLimits {
  const calls = createStoreCalls("Rate limits object", timeoutMs);
  const clean = upkeepOf(row, "tenon_rate", "full_at");
  return {
    take: (key, rule, cost = 1) =>
      calls.run(async () => {
        // Checks the rule.
        takeFrom(0, rule, cost, 0);
        const msEach = 1000 / rule.perSecond;
        const [added, most] = [cost * msEach, rule.burst * msEach];
        // Not `{now}`: a request that waited for the row would compare it with a time before the
        // requests that it waited for, and be refused although the bucket has room.
        const taken = await row(
          `INSERT INTO tenon_rate AS r SELECT $1, {clock} + $2::float8 WHERE $2::float8 <= $3::float8
          ON CONFLICT (key) DO UPDATE SET full_at = greatest(r.full_at, {clock}) + $2::float8
          WHERE greatest(r.full_at, {clock}) + $2::float8 <= {clock} + $3::float8
          RETURNING full_at, {clock} AS now`,
          quoted(key),
          added,
          most,
        );
        clean();
        if (taken !== undefined) {
          const left = Number(taken["now"]) + most - Number(taken["full_at"]);
          return { allowed: true, remaining: Math.max(0, Math.floor(left / msEach)), retryAfterMs: 0 };
        }
        const found = await row(
          "SELECT {now} AS now, coalesce((SELECT full_at FROM tenon_rate WHERE key = $1), 0) AS full_at",
          quoted(key),
        );
        const { decision } = takeFrom(Number(found?.["full_at"]), rule, cost, Number(found?.["now"]));
        return { ...decision, allowed: false };
      }),
    close: () => calls.close(),
    [Symbol.asyncDispose]: () => calls.close(),
  };
}
