import type { EventStore, StreamKey } from "../../event/contract.ts";

/** The events after an event: their data. */
export async function dataAfter(store: EventStore, key: StreamKey, eventId: string): Promise<string[]> {
  return (await eventsAfter(store, key, eventId)).map(({ data }) => data);
}

/** The events after an event. */
export async function eventsAfter(
  store: EventStore,
  key: StreamKey,
  eventId: string,
): Promise<{ readonly eventId: string; readonly data: string }[]> {
  const events: { readonly eventId: string; readonly data: string }[] = [];
  for await (const { eventId: id, data } of store.readAfter(key, eventId)) {
    events.push({ eventId: id, data });
  }
  return events;
}

/** Whether an event can no longer be resumed from, and reading after it fails. */
export async function isForgotten(store: EventStore, key: StreamKey, eventId: string): Promise<boolean> {
  if ((await store.streamOf(key.sessionId, eventId)) !== undefined) {
    return false;
  }
  try {
    await eventsAfter(store, key, eventId);
    return false;
  } catch {
    return true;
  }
}
