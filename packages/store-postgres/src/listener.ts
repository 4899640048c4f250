import { backoff, systemClock } from "@tenon/base";
import { createStoreCalls } from "@tenon/stores";

import type { PostgresPool } from "./pool.ts";

/** Notifications of one channel. */
export interface Notifications {
  /** Resolves when notifications reach `message`. */
  start(): Promise<void>;
  /** Closes the connection. */
  close(): void;
}

/** The owner of {@link Notifications}. */
export interface NotificationsOwner {
  message(payload: string): void;
  /** The connection was lost. */
  lost?(): void;
  /** The connection was lost, and notifications arrive again. */
  restored(): void;
}

/**
 * Creates {@link Notifications}, which take one connection out of the pool. The connection is
 * checked at intervals: nothing is sent on it otherwise, so neither end would learn of a network
 * that drops its packets.
 *
 * @param aliveMs - Time between two checks, and maximum time of one, in milliseconds.
 */
export function createNotifications(
  pool: PostgresPool,
  channel: string,
  { message, lost, restored }: NotificationsOwner,
  aliveMs: number = 30_000,
): Notifications {
  const calls = createStoreCalls("PostgreSQL", aliveMs);
  let started: Promise<void> | undefined;
  /** Ends the connection that is open. */
  let end: (() => void) | undefined;
  let timer: unknown;
  let isClosed = false;

  async function open(): Promise<void> {
    const client = await pool.connect();
    let isReleased = false;
    const release = (): void => {
      if (!isReleased) {
        isReleased = true;
        client.release(true);
      }
    };
    const lose = (): void => {
      release();
      if (end === release) {
        end = undefined;
        lost?.();
        reopen(0);
      }
    };
    client.on("error", lose);
    client.on("end", lose);
    client.on("notification", (notification) => {
      if (notification.channel === channel) {
        message(notification.payload ?? "");
      }
    });
    const watch = (): void => {
      const check = (): void => {
        calls.run(() => client.query("SELECT 1")).then(watch, lose);
      };
      if (end === release) {
        timer = systemClock.setTimeout(check, aliveMs, false);
      }
    };
    try {
      await calls.run(() => client.query(`LISTEN ${channel}`));
    } catch (error) {
      release();
      throw error;
    }
    if (isClosed) {
      release();
    } else {
      end = release;
      watch();
    }
  }

  function reopen(attempt: number): void {
    if (isClosed) {
      return;
    }
    timer = systemClock.setTimeout(
      () => {
        open().then(restored, () => reopen(attempt + 1));
      },
      backoff(attempt, { initialDelayMs: 50, maxDelayMs: 5000 }),
      false,
    );
  }

  return {
    start() {
      started ??= open().catch((error: unknown) => {
        started = undefined;
        throw error;
      });
      return started;
    },
    close() {
      isClosed = true;
      systemClock.clearTimeout(timer);
      const release = end;
      end = undefined;
      release?.();
    },
  };
}
