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

const append = `
if ARGV[2] ~= '' then
  local fence = redis.call('HGET', KEYS[1], 'f')
  if fence and tonumber(fence) > tonumber(ARGV[2]) then return -1 end
  redis.call('HSET', KEYS[1], 'f', ARGV[2])
end
local sequence = redis.call('HINCRBY', KEYS[1], 'q', 1)
redis.call('XADD', KEYS[2], 'MAXLEN', '~', ARGV[3], sequence .. '-0', 's', ARGV[5], 't', text(now), 'd', ARGV[6])
redis.call('PEXPIRE', KEYS[2], ARGV[4])
redis.call('PEXPIRE', KEYS[1], math.max(tonumber(ARGV[4]), ${fenceMs}))
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
            [
              fence ?? "",
              maxEventsPerSession,
              Math.min(eventTtlMs, Number.MAX_SAFE_INTEGER / 2),
              streamId,
              data,
            ],
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
