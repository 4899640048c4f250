import { EventEmitter } from "node:events";

import { expect, onTestFinished, test, vi } from "vitest";

import { createNotifications } from "../src/listener.ts";
import type { PostgresPool } from "../src/pool.ts";

test("a listener that is closed while it connects again makes no further attempt", async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const client = Object.assign(new EventEmitter(), {
    query: () => Promise.resolve({ rows: [] }),
    release: () => undefined,
  });
  let fail: (error: Error) => void = () => undefined;
  const pool = {
    connects: 0,
    connect() {
      this.connects++;
      return this.connects === 1
        ? Promise.resolve(client)
        : new Promise((_, reject) => {
            fail = reject;
          });
    },
  };
  const restored = vi.fn();
  const notifications = createNotifications(pool as unknown as PostgresPool, "c", {
    message: () => undefined,
    restored,
  });
  await notifications.start();
  client.emit("end");
  await vi.advanceTimersByTimeAsync(1000);
  expect(pool.connects).toBe(2);
  notifications.close();
  fail(new Error("The server is away."));
  await vi.advanceTimersByTimeAsync(60_000);
  expect(pool.connects).toBe(2);
  expect(restored).not.toHaveBeenCalled();
});

test("a client that starts to listen while its listener is closed is given back", async () => {
  let listening = (): void => {};
  const release = vi.fn();
  const client = Object.assign(new EventEmitter(), {
    query: () =>
      new Promise<void>((resolve) => {
        listening = resolve;
      }),
    release,
  });
  const pool = { connect: () => Promise.resolve(client) };
  const notifications = createNotifications(pool as unknown as PostgresPool, "c", {
    message: () => undefined,
    restored: () => undefined,
  });
  const started = notifications.start();
  await vi.waitFor(() => expect(client.listenerCount("notification")).toBe(1));
  notifications.close();
  listening();
  await started;
  expect(release).toHaveBeenCalledTimes(1);
});
