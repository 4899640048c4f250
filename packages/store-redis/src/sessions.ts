import {
  createStoreCalls,
  openedSession,
  StoreError,
  type SessionRecord,
  type SessionRefusal,
  type SessionStore,
} from "@tenon/stores";

import { keyPart, type Connection } from "./connection.ts";

/** Time after which Redis deletes an expired session without `sweep`, in milliseconds. */
const unsweptMs = 86_400_000;

/**
 * Removes a session from the index of its principal, whose key is the field `i`. Otherwise the
 * index of a principal that never returns would be kept forever. Sessions of earlier versions have
 * no such field: `list` removes them.
 */
const forget = `
local function forget(key, id)
  local index = redis.call('HGET', key, 'i')
  if index then redis.call('ZREM', index, id) end
  redis.call('DEL', key)
end
`;

/**
 * A server without free memory refuses a script whose first write needs memory. Therefore nothing
 * is deleted unless it exists.
 */
const create = `${forget}
local e = redis.call('HGET', KEYS[1], 'e')
if e and tonumber(e) > now then return false end
if e then forget(KEYS[1], ARGV[3]) end
local expires = now + tonumber(ARGV[2])
redis.call('HSET', KEYS[1], 'v', 1, 'c', text(now), 'e', text(expires), 'o', ARGV[4], 'f', ARGV[5])
if ARGV[6] == '1' then redis.call('HSET', KEYS[1], 'p', ARGV[7], 'i', KEYS[3]); redis.call('ZADD', KEYS[3], text(now), ARGV[3]) end
if ARGV[8] == '1' then redis.call('HSET', KEYS[1], 'n', ARGV[9]) end
redis.call('ZADD', KEYS[2], text(expires), ARGV[3])
redis.call('PEXPIREAT', KEYS[1], text(expires + ${unsweptMs}))
return {text(now), text(expires)}`;

/** The fields of a session, in the order of {@link recordOf}. */
const fields = "'v', 'p', 'o', 'f', 'n', 'c', 'e'";

/** Every call of a session runs it. */
const get = `
local values = redis.call('HMGET', KEYS[1], ${fields})
if not values[7] or tonumber(values[7]) <= now then return false end
return values`;

const update = `
local e = redis.call('HGET', KEYS[1], 'e')
if not e or tonumber(e) <= now then return 'gone' end
if redis.call('HGET', KEYS[1], 'v') ~= ARGV[2] then return 'conflict' end
redis.call('HINCRBY', KEYS[1], 'v', 1)
if ARGV[3] == '1' then redis.call('HSET', KEYS[1], 'f', ARGV[4]) end
if ARGV[5] == '1' then redis.call('HSET', KEYS[1], 'n', ARGV[6]) end
if ARGV[5] == '2' then redis.call('HDEL', KEYS[1], 'n') end
return redis.call('HMGET', KEYS[1], ${fields})`;

const touch = `
local e = redis.call('HGET', KEYS[1], 'e')
if not e or tonumber(e) <= now then return 0 end
local expires = math.max(tonumber(e), now + tonumber(ARGV[2]))
redis.call('HSET', KEYS[1], 'e', text(expires))
redis.call('ZADD', KEYS[2], text(expires), ARGV[3])
redis.call('PEXPIREAT', KEYS[1], text(expires + ${unsweptMs}))
return 1`;

const remove = `${forget}
local e = redis.call('HGET', KEYS[1], 'e')
if not e or tonumber(e) <= now then return 0 end
forget(KEYS[1], ARGV[2])
redis.call('ZREM', KEYS[2], ARGV[2])
return 1`;

/** `KEYS[2]` is the beginning of the keys of sessions, to which the client may have added. */
const list = `
local found = {}
for _, id in ipairs(redis.call('ZRANGE', KEYS[1], 0, -1)) do
  local values = redis.call('HMGET', KEYS[2] .. id, 'e', 'p')
  if not values[1] or values[2] ~= ARGV[2] then
    redis.call('ZREM', KEYS[1], id)
  elseif tonumber(values[1]) > now and #found < tonumber(ARGV[3]) then
    found[#found + 1] = id
  end
end
return found`;

const sweep = `${forget}
local swept = {}
for _, id in ipairs(redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', text(now), 'LIMIT', 0, ARGV[2])) do
  local values = redis.call('HMGET', KEYS[2] .. id, ${fields})
  if values[1] then swept[#swept + 1] = {id, values} end
  forget(KEYS[2] .. id, id)
  redis.call('ZREM', KEYS[1], id)
end
return swept`;

/**
 * Creates the session store of a client. In a cluster all sessions are in one slot, so that each
 * step is atomic.
 */
export function createSessionStore({ prefix, script, timeoutMs }: Connection): SessionStore {
  const calls = createStoreCalls("Session store", timeoutMs);
  const tag = `${prefix}{sessions}:`;
  const records = `${tag}s:`;
  const expiries = `${tag}x`;
  const sessionKey = (id: string): string => records + keyPart(id);
  const indexKey = (principal: string): string => `${tag}p:${keyPart(principal)}`;
  return {
    create: (session, ttlMs) =>
      calls.run(async () => {
        const { id, principal, opening, facts, node } = session;
        const reply = await script(
          create,
          [sessionKey(id), expiries, indexKey(principal ?? "")],
          [ttlMs, keyPart(id), opening, facts, ...optional(principal), ...optional(node)],
        );
        if (!Array.isArray(reply)) {
          throw new StoreError("SESSION_EXISTS", "A session with this ID exists.");
        }
        return openedSession(session, Number(reply[1]) - Number(reply[0]), Number(reply[0]));
      }),
    get: (id, principal) =>
      calls.run(async () => {
        const reply = await script(get, [sessionKey(id)], []);
        const record = Array.isArray(reply) ? recordOf(id, reply) : undefined;
        return record?.principal === principal ? record : undefined;
      }),
    update: (id, version, { facts, node }) =>
      calls.run(async () => {
        const reply = await script(
          update,
          [sessionKey(id)],
          [version, ...optional(facts), node === null ? 2 : node === undefined ? 0 : 1, node ?? ""],
        );
        return Array.isArray(reply) ? recordOf(id, reply) : (String(reply) as SessionRefusal);
      }),
    touch: (id, ttlMs) =>
      calls.run(
        async () => Number(await script(touch, [sessionKey(id), expiries], [ttlMs, keyPart(id)])) === 1,
      ),
    delete: (id) =>
      calls.run(async () => Number(await script(remove, [sessionKey(id), expiries], [keyPart(id)])) === 1),
    list: (principal, limit) =>
      calls.run(async () => {
        const reply = await script(list, [indexKey(principal), records], [principal, limit]);
        return (reply as unknown[]).map((id) => decodeURIComponent(String(id)));
      }),
    sweep: (limit) =>
      calls.run(async () => {
        const reply = await script(sweep, [expiries, records], [limit]);
        return (reply as [unknown, unknown[]][]).map(([id, values]) =>
          recordOf(decodeURIComponent(String(id)), values),
        );
      }),
    close: () => calls.close(),
    [Symbol.asyncDispose]: () => calls.close(),
  };
}

/** Whether a value exists, and the value. */
function optional(value: string | undefined): [number, string] {
  return value === undefined ? [0, ""] : [1, value];
}

function recordOf(id: string, values: readonly unknown[]): SessionRecord {
  const [version, principal, opening, facts, node, createdAt, expiresAt] = values;
  return {
    id,
    version: Number(version),
    principal: textOf(principal),
    opening: textOf(opening) ?? "",
    facts: textOf(facts) ?? "",
    node: textOf(node),
    createdAt: Number(createdAt),
    expiresAt: Number(expiresAt),
  };
}

function textOf(value: unknown): string | undefined {
  return (value ?? undefined) === undefined ? undefined : String(value);
}
