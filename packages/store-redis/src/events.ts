import {
  createStoreCalls,
  eventIdOf,
  parseEventId,
  StoreError,
  type EventStore,
  type StoredEvent,
} from "@tenon/stores";

import { keyPart, type Connection } from "./connection.ts";

/** Number of events that are read at a time. */
const pageSize = 100;
/** How long the fence of a session without events is kept, in milliseconds. */
const fenceMs = 86_400_000;

/**
 * The keys are kept for longer than the events, so that most calls need not extend their time.
 * `ARGV`: offset, fence, maximum number, time of the stream and of the hash, time between two
 * extensions, stream, data.
 */
const append = `
local known = redis.call('HMGET', KEYS[1], 'f', 'x')
if ARGV[2] ~= '' and known[1] ~= ARGV[2] then
  if known[1] and tonumber(known[1]) > tonumber(ARGV[2]) then return -1 end
  redis.call('HSET', KEYS[1], 'f', ARGV[2])
end
local sequence = redis.call('HINCRBY', KEYS[1], 'q', 1)
redis.call('XADD', KEYS[2], 'MAXLEN', '~', ARGV[3], sequence .. '-0', 's', ARGV[7], 't', text(now), 'd', ARGV[8])
if not known[2] or math.abs(now - known[2]) >= tonumber(ARGV[6]) then
  redis.call('HSET', KEYS[1], 'x', text(now))
  redis.call('PEXPIRE', KEYS[1], ARGV[5])
  redis.call('PEXPIRE', KEYS[2], ARGV[4])
end
return sequence`;

/** Fails if the entry before the page is no longer stored. `ARGV[3]` may be any stream. */
const read = `
local function stored(sequence)
  local found = redis.call('XRANGE', KEYS[1], sequence .. '-0', sequence .. '-0')[1]
  if not found or tonumber(found[2][4]) <= now - tonumber(ARGV[4]) then return nil end
  return found[2][2]
end
local stream = stored(ARGV[2])
if not stream or (ARGV[5] == '1' and stream ~= ARGV[3]) then return false end
local page = {}
local last = ARGV[2]
local entries = redis.call('XRANGE', KEYS[1], '(' .. ARGV[2] .. '-0', '+', 'COUNT', ARGV[6])
for _, entry in ipairs(entries) do
  last = string.match(entry[1], '^%d+')
  if entry[2][2] == ARGV[3] then page[#page + 1] = last; page[#page + 1] = entry[2][6] end
end
return {#entries, last, page}`;

const find = `
local found = redis.call('XRANGE', KEYS[1], ARGV[2] .. '-0', ARGV[2] .. '-0')[1]
if not found or tonumber(found[2][4]) <= now - tonumber(ARGV[3]) then return false end
return found[2][2]`;

/** Limits of the event store. */
interface EventLimits {
  readonly eventTtlMs: number;
  readonly maxEventsPerSession: number;
}

/** Creates the event store of a client: one stream for each session. */
export function createEventStore(
  { prefix, script, command, timeoutMs }: Connection,
  { eventTtlMs, maxEventsPerSession }: EventLimits,
): EventStore & { close(): Promise<void> } {
  const calls = createStoreCalls("Event store", timeoutMs);
  const ttlMs = Math.min(eventTtlMs, Number.MAX_SAFE_INTEGER / 4);
  /** The keys last longer by this time. */
  const extendMs = Math.ceil(ttlMs / 8);
  const times = [Math.ceil(ttlMs) + extendMs, Math.ceil(Math.max(ttlMs, fenceMs)) + extendMs, extendMs];
  const metaKey = (sessionId: string): string => `${prefix}e:{${keyPart(sessionId)}}:m`;
  const eventsKey = (sessionId: string): string => `${prefix}e:{${keyPart(sessionId)}}:e`;

  async function* readAfter(
    { sessionId, streamId }: { readonly sessionId: string; readonly streamId: string },
    eventId: string,
  ): AsyncGenerator<StoredEvent> {
    const start = parseEventId(eventId);
    let last = start?.streamId === streamId ? start.sequence : 0;
    for (let isFirst = true; ; isFirst = false) {
      const reply = await calls.run(() =>
        script(read, [eventsKey(sessionId)], [last, streamId, eventTtlMs, isFirst ? 1 : 0, pageSize]),
      );
      if (!Array.isArray(reply)) {
        throw new StoreError("EVENTS_PURGED", "Event to resume after must be stored; it was purged.");
      }
      const [count, next, page] = reply as [unknown, unknown, unknown[]];
      for (let index = 0; index < page.length; index += 2) {
        yield { eventId: eventIdOf(streamId, Number(page[index])), data: String(page[index + 1]) };
      }
      last = Number(next);
      if (Number(count) < pageSize) {
        return;
      }
    }
  }

  return {
    append: ({ sessionId, streamId, fence }, data) =>
      calls.run(async () => {
        const sequence = Number(
          await script(
            append,
            [metaKey(sessionId), eventsKey(sessionId)],
            [fence ?? "", maxEventsPerSession, ...times, streamId, data],
          ),
        );
        if (sequence < 0) {
          throw new StoreError("FENCED", "Another process writes the events of this session.");
        }
        return eventIdOf(streamId, sequence);
      }),
    streamOf: (sessionId, eventId) =>
      calls.run(async () => {
        const parts = parseEventId(eventId);
        if (parts === undefined) {
          return undefined;
        }
        const stream = await script(find, [eventsKey(sessionId)], [parts.sequence, eventTtlMs]);
        return stream === parts.streamId ? parts.streamId : undefined;
      }),
    readAfter,
    deleteSession: (sessionId) =>
      calls.run(async () => {
        await command("DEL", metaKey(sessionId), eventsKey(sessionId));
      }),
    close: () => calls.close(),
  };
}
