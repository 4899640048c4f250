import { createStoreCalls, takeFrom, type RateLimits } from "@tenon/stores";

import { keyPart, type Connection } from "./connection.ts";

/** The same steps as `takeFrom` of `@tenon/stores`. */
const take = `
local burst, each, cost = tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
local base = math.max(tonumber(redis.call('GET', KEYS[1]) or '0'), now)
local after = base + cost * each
local latest = now + burst * each
local state = base
if after <= latest then
  state = after
  redis.call('SET', KEYS[1], string.format('%.17g', state), 'PX', text(math.max(1, math.ceil(state - now))))
end
local missing = '0'
if after > latest then missing = string.format('%.17g', after - latest) end
return {math.max(0, math.floor((latest - state) / each)), missing}`;

/** Creates the rate limits of a client: one key for each bucket. */
export function createRateLimits({ prefix, script, timeoutMs }: Connection): RateLimits {
  const calls = createStoreCalls("Rate limits object", timeoutMs);
  return {
    take: (key, rule, cost = 1) =>
      calls.run(async () => {
        // Checks the rule.
        takeFrom(0, rule, cost, 0);
        const { burst, perSecond } = rule;
        const bucket = `${prefix}b:${keyPart(key)}`;
        const reply = (await script(take, [bucket], [burst, 1000 / perSecond, cost])) as unknown[];
        const missing = Number(reply[1]);
        return {
          allowed: missing === 0,
          remaining: Number(reply[0]),
          retryAfterMs: cost > burst ? Infinity : missing,
        };
      }),
    close: () => calls.close(),
    [Symbol.asyncDispose]: () => calls.close(),
  };
}
