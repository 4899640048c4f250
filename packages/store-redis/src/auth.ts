import {
  checkAuthEntry,
  createAuthLock,
  createStoreCalls,
  generationMs,
  type AuthStore,
  type Leases,
} from "@tenon/stores";

import { keyPart, type Connection } from "./connection.ts";

/** `stored` is whether the key has a value. A generation is at least the date, as a fence is. */
const state = `
local before = redis.call('HMGET', KEYS[1], 'g', 'v', 'e')
local stored = before[2] and (before[3] == '' or tonumber(before[3]) > now)
`;

const get = `${state}
if not stored then return false end
return {before[1], before[2]}`;

/** `ARGV`: offset, condition, value, expiry. */
const put = `${state}
if ARGV[2] == 'absent' then
  if stored then return false end
elseif ARGV[2] ~= '' and not (stored and before[1] == ARGV[2]) then return false end
local generation = text(math.max(tonumber(before[1] or '0') + 1, now))
redis.call('HSET', KEYS[1], 'g', generation, 'v', ARGV[3], 'e', ARGV[4])
if ARGV[4] == '' then redis.call('PERSIST', KEYS[1])
else redis.call('PEXPIREAT', KEYS[1], text(math.max(tonumber(ARGV[4]), now) + ${generationMs})) end
return generation`;

/** The generation stays, because it must not be used again. */
const remove = `${state}
if not stored or (ARGV[2] ~= '' and before[1] ~= ARGV[2]) then return 0 end
redis.call('HDEL', KEYS[1], 'v')
redis.call('PEXPIREAT', KEYS[1], text(now + ${generationMs}))
return 1`;

/** Latest expiry that Redis accepts with {@link generationMs} added, in milliseconds since 1970. */
const latest = 8_640_000_000_000_000;

/** Creates the auth store of a client: one key for each value. */
export function createAuthStore(
  { prefix, script, timeoutMs }: Connection,
  leases: Leases,
): AuthStore & { close(): Promise<void> } {
  const calls = createStoreCalls("Auth store", timeoutMs);

  function run(
    lua: string,
    key: string,
    values: readonly (string | number)[],
    value?: string,
  ): Promise<unknown> {
    return calls.run(() => {
      checkAuthEntry(key, value);
      return script(lua, [`${prefix}a:${keyPart(key)}`], values);
    });
  }

  return {
    async get(key) {
      const found = await run(get, key, []);
      return Array.isArray(found) ? { generation: Number(found[0]), value: String(found[1]) } : undefined;
    },
    async put(key, value, { ifGeneration = "", expiresAt = Infinity } = {}) {
      const end = expiresAt <= latest ? Math.ceil(expiresAt) : "";
      const generation = await run(put, key, [ifGeneration, value, end], value);
      return generation === null ? "conflict" : Number(generation);
    },
    delete: async (key, { ifGeneration = "" } = {}) => Number(await run(remove, key, [ifGeneration])) === 1,
    lock: createAuthLock(leases),
    close: () => calls.close(),
  };
}
