import { checkLeaseNames, createStoreCalls, type Lease, type Leases } from "@tenon/stores";

import { keyPart, type Connection } from "./connection.ts";

/** How long the fence of a lease that ended is kept, in milliseconds. */
const fenceMs = 86_400_000;

/** A fence is at least the date, so fences grow even after the key has expired. */
const acquire = `
local before = redis.call('HMGET', KEYS[1], 'f', 'h', 'e')
if before[3] and tonumber(before[3]) > now and before[2] ~= ARGV[2] and ARGV[4] ~= '1' then return false end
local fence = math.max((tonumber(before[1] or '0')) + 1, now)
local expires = now + tonumber(ARGV[3])
redis.call('HSET', KEYS[1], 'f', text(fence), 'h', ARGV[2], 'e', text(expires))
redis.call('PEXPIREAT', KEYS[1], text(expires + ${fenceMs}))
return {text(fence), ARGV[2], text(expires)}`;

/** Changes when a lease ends; `ARGV[3]` is negative to end it. */
const renew = `
local before = redis.call('HMGET', KEYS[1], 'f', 'e')
if before[1] ~= ARGV[2] or not before[2] or tonumber(before[2]) <= now then return 0 end
local expires = now + tonumber(ARGV[3])
if tonumber(ARGV[3]) < 0 then expires = 0 end
redis.call('HSET', KEYS[1], 'e', text(expires))
redis.call('PEXPIREAT', KEYS[1], text(math.max(expires, now) + ${fenceMs}))
return 1`;

const current = `
local lease = redis.call('HMGET', KEYS[1], 'f', 'h', 'e')
if not lease[3] or tonumber(lease[3]) <= now then return false end
return lease`;

/** Creates the leases of a client: one key each. */
export function createLeases({ prefix, script, timeoutMs }: Connection): Leases {
  const calls = createStoreCalls("Leases object", timeoutMs);
  const leaseKey = (key: string): string => `${prefix}l:${keyPart(key)}`;
  return {
    acquire: (key, holder, leaseMs, { takeOver = false } = {}) =>
      calls.run(async () => {
        checkLeaseNames(key, holder);
        return leaseOf(await script(acquire, [leaseKey(key)], [holder, leaseMs, takeOver ? 1 : 0]));
      }),
    renew: (key, fence, leaseMs) =>
      calls.run(async () => Number(await script(renew, [leaseKey(key)], [fence, leaseMs])) === 1),
    release: (key, fence) =>
      calls.run(async () => Number(await script(renew, [leaseKey(key)], [fence, -1])) === 1),
    current: (key) => calls.run(async () => leaseOf(await script(current, [leaseKey(key)], []))),
    close: () => calls.close(),
    [Symbol.asyncDispose]: () => calls.close(),
  };
}

function leaseOf(reply: unknown): Lease | undefined {
  if (!Array.isArray(reply)) {
    return undefined;
  }
  const [fence, holder, expiresAt] = reply.map(String);
  return { fence: Number(fence), holder: holder ?? "", expiresAt: Number(expiresAt) };
}
