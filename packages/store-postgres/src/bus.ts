import {
  checkBusMessage,
  createBusListeners,
  createStoreCalls,
  quoted,
  unquoted,
  type Bus,
} from "@tenon/stores";

import { createNotifications } from "./listener.ts";
import type { Connection } from "./pool.ts";
import { upkeepOf } from "./upkeep.ts";

/** How long a message is kept for the processes that read it, in milliseconds. */
const keptMs = 60_000;
/** Maximum number of messages that are read at a time. */
const batchSize = 50;
/** Maximum number of messages that wait to be read. */
const maxWaiting = 10_000;

/** A message that was announced and not read. */
interface Announced {
  readonly id: string;
  readonly topic: string;
}

/**
 * Creates the bus of a pool: messages are rows, and notifications have their numbers and topics
 * only.
 */
export function createBus(
  { pool, row, rows, timeoutMs }: Connection,
  channel: string,
  onError: (error: unknown) => void,
): Bus {
  const calls = createStoreCalls("Bus", timeoutMs);
  const listeners = createBusListeners(onError);
  let waiting: Announced[] = [];
  let isReading = false;
  const clean = upkeepOf(row, "tenon_message", "at", keptMs);

  async function deliver(batch: readonly Announced[]): Promise<void> {
    const sql = "SELECT id, payload FROM tenon_message WHERE id = ANY($1::bigint[])";
    const found = await rows(
      sql,
      batch.map(({ id }) => id),
    );
    const payloads = new Map(found.map(({ id, payload }) => [Number(id), payload]));
    for (const { id, topic } of batch) {
      const payload = payloads.get(Number(id));
      if (payload === undefined) {
        listeners.gap(topic);
      } else {
        listeners.message(topic, unquoted(payload));
      }
    }
  }

  /** Reads the messages that wait, in their order. */
  async function read(): Promise<void> {
    isReading = true;
    while (waiting.length > 0) {
      const batch = waiting.slice(0, batchSize);
      waiting = waiting.slice(batchSize);
      try {
        await calls.run(() => deliver(batch));
      } catch (error) {
        onError(error);
        new Set(batch.map(({ topic }) => topic)).forEach((topic) => listeners.gap(topic));
      }
    }
    isReading = false;
  }

  const notifications = createNotifications(pool, channel, {
    message(payload) {
      const space = payload.indexOf(" ");
      const topic = payload.slice(space + 1);
      if (!listeners.has(topic)) {
        return;
      }
      if (waiting.length >= maxWaiting) {
        waiting = [];
        listeners.gap();
      }
      waiting.push({ id: payload.slice(0, space), topic });
      if (!isReading) {
        read().catch(onError);
      }
    },
    lost() {
      // After a crash of the server, new messages may have the numbers of these.
      waiting = [];
    },
    restored: () => listeners.gap(),
  });

  const close = async (): Promise<void> => {
    await calls.close();
    listeners.clear();
    waiting = [];
    notifications.close();
  };

  return {
    publish: (topic, payload) =>
      calls.run(async () => {
        checkBusMessage(topic, payload);
        // A transaction that notifies locks out all others that notify until its commit ends, so
        // the commit must not wait for the disk. If the server loses it in a crash, it also loses
        // the connections of the subscribers, and these get a gap.
        await row(
          `WITH message AS (INSERT INTO tenon_message (payload, at) VALUES ($1, {now}) RETURNING id)
          SELECT set_config('synchronous_commit', 'off', true), pg_notify($2, id || ' ' || $3) FROM message`,
          quoted(payload),
          channel,
          topic,
        );
        clean();
      }),
    async subscribe(topic, listener) {
      checkBusMessage(topic);
      const remove = listeners.add(topic, listener);
      try {
        await calls.run(() => notifications.start());
      } catch (error) {
        remove();
        throw error;
      }
      return { [Symbol.asyncDispose]: async () => void remove() };
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}
