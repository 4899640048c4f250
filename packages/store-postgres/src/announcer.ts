import { createStoreCalls, StoreError } from "@tenon/stores";

import type { Connection } from "./pool.ts";

/** Announces changes of tasks to all processes, after their commits. */
export interface Announcer {
  /**
   * Announces the version of a task soon. An announcement may be lost: receivers must also read the
   * tasks from time to time.
   */
  announce(id: string, version: number): void;
  /** Sends what waits, and ends. */
  close(): Promise<void>;
}

/** Maximum number of tasks whose announcements wait. */
const maxWaiting = 10_000;
/** Maximum number of announcements of a statement. */
const batchSize = 500;

/**
 * Creates an {@link Announcer}. A transaction that notifies locks out all others that notify, until
 * its commit has reached the disk. So announcements have statements of their own, whose commits do
 * not wait for the disk. At most one of these statements runs at a time.
 */
export function createAnnouncer(
  { row, timeoutMs }: Connection,
  channel: string,
  onError: (error: unknown) => void,
): Announcer {
  const calls = createStoreCalls("PostgreSQL", timeoutMs);
  /** The newest version of each task. */
  const waiting = new Map<string, number>();
  let sending: Promise<void> | undefined;
  let isFull = false;

  async function send(): Promise<void> {
    while (waiting.size > 0) {
      const payloads: string[] = [];
      for (const [id, version] of [...waiting].slice(0, batchSize)) {
        waiting.delete(id);
        payloads.push(JSON.stringify({ id, version }));
      }
      try {
        const sql = "SELECT pg_notify($1, payload)::text FROM unnest($2::text[]) AS payload";
        await calls.run(() => row(sql, channel, payloads));
      } catch (error) {
        // The other announcements would probably fail too, each after its time.
        waiting.clear();
        onError(error);
      }
    }
    isFull = false;
    sending = undefined;
  }

  return {
    announce(id, version) {
      if (waiting.size < maxWaiting || waiting.has(id)) {
        waiting.set(id, Math.max(version, waiting.get(id) ?? 0));
      } else if (!isFull) {
        isFull = true;
        const message = `More than ${maxWaiting} changes of tasks wait; others are not announced.`;
        onError(new StoreError("STORE_FULL", message));
      }
      sending ??= send();
    },
    async close() {
      await sending;
      await calls.close();
    },
  };
}
