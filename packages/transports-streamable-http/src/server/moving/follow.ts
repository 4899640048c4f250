import { EventStream, watchExpiry } from "@tenon/http/server";
import { encode, ErrorCode } from "@tenon/jsonrpc2/core";
import type { EventStore } from "@tenon/stores";

import type { Call } from "../call.ts";
import type { Beating } from "../heartbeat.ts";
import type { KeeperSetup } from "../session-keeper.ts";
import type { Wakeup } from "./wakeups.ts";

/** A stream of a POST that another process writes or wrote. */
export interface FollowedStream {
  readonly call: Call;
  readonly events: EventStore;
  readonly sessionId: string;
  readonly streamId: string;
  /** The event that the client has read. */
  readonly after: string;
  /**
   * Requests from the process whether it still writes the stream. For some seconds the process then
   * reports each event.
   */
  isWritten(): Promise<boolean>;
  /** Wakes this process when an event is reported. */
  listen(): Wakeup;
}

/**
 * Time after which the other process is asked again, and the store is read though no event was
 * reported, in milliseconds: the bus may be away.
 */
const everyMs = 500;

/**
 * Sends the client the rest of a stream that another process writes. If that process has ended
 * before it responded, the client gets an error response. Resolves when the stream has started.
 */
export async function followStream(followed: FollowedStream, settings: KeeperSetup): Promise<void> {
  const { call, events, sessionId, streamId } = followed;
  const { exchange, headers, info } = call;
  const stream = new EventStream(exchange, headers, settings.streams);
  const expiry = watchExpiry(info.auth, () => stream.end());
  const beating: Beating = { place: -1, beat: () => stream.comment("still here") };
  exchange.onDisconnect(() => stream.disconnected());
  settings.heartbeat.add(beating);
  const wakeup = followed.listen();
  const key = { sessionId, streamId };
  const missing = new Set(idsOf(streamId));
  const hasIds = missing.size > 0;
  let last = followed.after;

  async function replay(): Promise<void> {
    for await (const { eventId, data } of events.readAfter(key, last)) {
      if (stream.closed) {
        return;
      }
      last = eventId;
      forget(missing, data);
      await stream.send({ id: eventId, data });
      await stream.room();
    }
  }

  async function follow(): Promise<void> {
    let askAt = 0;
    while (!stream.closed) {
      const isDue = performance.now() >= askAt;
      askAt = isDue ? performance.now() + everyMs : askAt;
      // First, because the last events of a writer are in the store when it has ended.
      const isWritten = !isDue || (await followed.isWritten().catch(() => false));
      await replay();
      if (!isWritten || (hasIds && missing.size === 0)) {
        break;
      }
      await wakeup.wait(Math.max(0, askAt - performance.now()));
    }
    const error = {
      code: ErrorCode.InternalError,
      message: "The server process of the request has ended before its response",
    };
    for (const id of missing) {
      if (!stream.closed) {
        await stream.send({ data: encode({ jsonrpc: "2.0", id: JSON.parse(id) as string, error }) });
      }
    }
  }

  void follow()
    .catch(settings.onError)
    .finally(() => {
      stream.end();
      expiry?.cancel();
      settings.heartbeat.delete(beating);
      wakeup[Symbol.dispose]();
    });
}

/** The IDs of the requests of a stream, as JSON. */
function idsOf(streamId: string): readonly string[] {
  try {
    const ids: unknown = JSON.parse(streamId.slice(streamId.indexOf("[")));
    return Array.isArray(ids) ? ids.map((id) => JSON.stringify(id)) : [];
  } catch {
    return [];
  }
}

function forget(missing: Set<string>, data: string): void {
  if (missing.size === 0 || data === "") {
    return;
  }
  for (const message of [JSON.parse(data) as { id?: unknown; method?: unknown }].flat()) {
    if (message.method === undefined) {
      missing.delete(JSON.stringify(message.id));
    }
  }
}
