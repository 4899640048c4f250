/**
 * `KEYS[1]` is the beginning of all keys: a client may put a prefix of its own before the keys that
 * it sees.
 *
 * Each name has a queue for each principal, and an index of the principals. The scores are the
 * times from which a task can be claimed. So an excepted principal costs one entry, however many of
 * its tasks wait.
 */
const queue = `
local function turn(name, principal)
  local head = redis.call('ZRANGE', KEYS[1] .. 'q:' .. name .. ':' .. principal, 0, 0, 'WITHSCORES')
  if head[2] then redis.call('ZADD', KEYS[1] .. 'w:' .. name, head[2], principal)
  else redis.call('ZREM', KEYS[1] .. 'w:' .. name, principal) end
end
`;

/** Writes a task and its places in the queues. */
const put = `${queue}
local function put(id, values)
  local t = KEYS[1] .. 't:' .. id
  redis.call('HSET', t, 'r', values[1], 'p', values[2], 'n', values[3], 's', values[4], 'c', values[5],
    'x', values[6], 'a', values[8], 'f', values[9], 'w', values[10], 'l', values[11])
  redis.call('HINCRBY', t, 'v', 1)
  redis.call('ZADD', KEYS[1] .. 'o:' .. values[2], values[5], id)
  if values[6] == '' then redis.call('ZREM', KEYS[1] .. 'x', id)
  else redis.call('ZADD', KEYS[1] .. 'x', values[6], id) end
  local q = KEYS[1] .. 'q:' .. values[3] .. ':' .. values[2]
  if values[7] == '' and values[4] == '0' then redis.call('SADD', KEYS[1] .. 'waiting', id)
  else redis.call('SREM', KEYS[1] .. 'waiting', id) end
  if values[7] == '' then redis.call('ZREM', q, id)
  else
    redis.call('SADD', KEYS[1] .. 'names', values[3])
    redis.call('ZADD', q, values[7], id)
  end
  turn(values[3], values[2])
end
`;

/** `ARGV`: offset, ID, maximum number, channel, announcement, values. */
export const insertTask: string = `${put}
local values = {unpack(ARGV, 6)}
if redis.call('EXISTS', KEYS[1] .. 't:' .. ARGV[2]) == 1 then return 0 end
if tonumber(ARGV[3]) >= 0 and redis.call('ZCARD', KEYS[1] .. 'o:' .. values[2]) >= tonumber(ARGV[3]) then return -1 end
put(ARGV[2], values)
redis.call('PUBLISH', ARGV[4], ARGV[5])
return 1`;

/** `ARGV`: offset, ID, revision, channel, announcement, 11 values, keyed entries. */
export const replaceTask: string = `${put}
if redis.call('HGET', KEYS[1] .. 't:' .. ARGV[2], 'v') ~= ARGV[3] then return 0 end
put(ARGV[2], {unpack(ARGV, 6, 16)})
for index = 17, #ARGV, 2 do
  if redis.call('SADD', KEYS[1] .. 'k:' .. ARGV[2], ARGV[index]) == 1 then
    redis.call('RPUSH', KEYS[1] .. 'j:' .. ARGV[2], ARGV[index + 1])
  end
end
if ARGV[5] ~= '' then redis.call('PUBLISH', ARGV[4], ARGV[5]) end
return 1`;

/** `ARGV`: offset, ID. */
export const readTask = `return {text(now), redis.call('HGETALL', KEYS[1] .. 't:' .. ARGV[2])}`;

/** `ARGV`: offset, worker, duration, limit, excepted principals as JSON, names as JSON. */
export const claimTasks: string = `${queue}
local limit, until_ = tonumber(ARGV[4]), now + tonumber(ARGV[3])
local excepted = {}
for _, principal in ipairs(cjson.decode(ARGV[5])) do excepted[principal] = true end
local names = ARGV[6] == '' and redis.call('SMEMBERS', KEYS[1] .. 'names') or cjson.decode(ARGV[6])
local ready = {}
for _, name in ipairs(names) do
  local found, offset = 0, 0
  while found < limit do
    local page = redis.call('ZRANGEBYSCORE', KEYS[1] .. 'w:' .. name, '-inf', text(now), 'LIMIT', offset, 100)
    for _, principal in ipairs(page) do
      if found < limit and not excepted[principal] then
        found = found + 1
        local q = KEYS[1] .. 'q:' .. name .. ':' .. principal
        local tasks = redis.call('ZRANGEBYSCORE', q, '-inf', text(now), 'WITHSCORES', 'LIMIT', 0, limit)
        for index = 1, #tasks, 2 do
          ready[#ready + 1] = {tasks[index], tonumber(tasks[index + 1]), name, principal}
        end
      end
    end
    if #page < 100 then break end
    offset = offset + 100
  end
end
table.sort(ready, function(a, b) if a[2] ~= b[2] then return a[2] < b[2] end return a[1] < b[1] end)
local claimed = {}
for index = 1, math.min(limit, #ready) do
  local id, name, principal = ready[index][1], ready[index][3], ready[index][4]
  local t = KEYS[1] .. 't:' .. id
  redis.call('HINCRBY', t, 'v', 1)
  redis.call('HINCRBY', t, 'a', 1)
  redis.call('HINCRBY', t, 'f', 1)
  redis.call('HSET', t, 'w', ARGV[2], 'l', text(until_))
  redis.call('ZADD', KEYS[1] .. 'q:' .. name .. ':' .. principal, text(until_), id)
  turn(name, principal)
  claimed[index] = redis.call('HGETALL', t)
end
return claimed`;

/** `ARGV`: offset, ID, fence, duration. */
export const renewTask: string = `${queue}
local t = KEYS[1] .. 't:' .. ARGV[2]
local values = redis.call('HMGET', t, 'f', 'w', 'n', 'p')
if values[1] ~= ARGV[3] or values[2] == '' then return 0 end
local until_ = text(now + tonumber(ARGV[4]))
redis.call('HINCRBY', t, 'v', 1)
redis.call('HSET', t, 'l', until_)
redis.call('ZADD', KEYS[1] .. 'q:' .. values[3] .. ':' .. values[4], until_, ARGV[2])
turn(values[3], values[4])
return 1`;

/** `ARGV`: offset, principal, date and ID of the position, limit. */
export const listTasks = `
local listed, offset, limit = {}, 0, tonumber(ARGV[5])
while #listed < limit do
  local page = redis.call('ZRANGEBYSCORE', KEYS[1] .. 'o:' .. ARGV[2], ARGV[3], '+inf', 'WITHSCORES', 'LIMIT', offset, 100)
  for index = 1, #page, 2 do
    local t = KEYS[1] .. 't:' .. page[index]
    local isAfter = page[index + 1] ~= ARGV[3] or page[index] > ARGV[4]
    local values = redis.call('HMGET', t, 's', 'x')
    local isGone = values[1] == '1' and values[2] ~= '' and tonumber(values[2]) <= now
    if isAfter and not isGone and #listed < limit then listed[#listed + 1] = redis.call('HGETALL', t) end
  end
  if #page < 200 then break end
  offset = offset + 100
end
return listed`;

/** `ARGV`: offset, limit. */
export const sweepTasks = `
local deleted, overdue = 0, {}
for _, id in ipairs(redis.call('ZRANGEBYSCORE', KEYS[1] .. 'x', '-inf', text(now), 'LIMIT', 0, ARGV[2])) do
  local t = KEYS[1] .. 't:' .. id
  local values = redis.call('HMGET', t, 's', 'p')
  if values[1] == '1' then
    deleted = deleted + 1
    redis.call('DEL', t, KEYS[1] .. 'j:' .. id, KEYS[1] .. 'k:' .. id)
    redis.call('ZREM', KEYS[1] .. 'x', id)
    redis.call('ZREM', KEYS[1] .. 'o:' .. values[2], id)
  else
    overdue[#overdue + 1] = redis.call('HGETALL', t)
  end
end
return {deleted, overdue}`;

/** `ARGV`: offset. */
export const countTasks = `
local queued, running = 0, 0
for _, name in ipairs(redis.call('SMEMBERS', KEYS[1] .. 'names')) do
  for _, principal in ipairs(redis.call('ZRANGE', KEYS[1] .. 'w:' .. name, 0, -1)) do
    local q = KEYS[1] .. 'q:' .. name .. ':' .. principal
    local due = redis.call('ZCOUNT', q, '-inf', text(now))
    queued = queued + due
    running = running + redis.call('ZCARD', q) - due
  end
end
return {queued, running, redis.call('SCARD', KEYS[1] .. 'waiting')}`;
