import { instrumentStores } from "@tenon/otel";
import {
  createMemoryBus,
  createMemoryRateLimits,
  createMemorySessionStore,
  StoreError,
  type SessionStore,
} from "@tenon/stores";
import { expect, test } from "vitest";

import { startTelemetry } from "./telemetry.ts";

const session = { id: "s", principal: undefined, opening: "{}", facts: "{}", node: undefined };
const metric = "tenon.store.operation.duration";

test("calls of stores are measured by contract, operation and error", async () => {
  await using telemetry = startTelemetry();
  await using sessions = createMemorySessionStore();
  const stores = instrumentStores({ sessions, bus: createMemoryBus() });
  await stores.sessions.create(session, 1_000);
  await expect(stores.sessions.create(session, 1_000)).rejects.toThrow(StoreError);
  expect(await stores.sessions.get("s", undefined)).toMatchObject({ id: "s", version: 1 });
  await stores.bus.publish("topic", "text");
  const points = await telemetry.points(metric);
  const seen = points.map(({ attributes, value }) => [...Object.values(attributes), value.count].join(" "));
  expect(seen.toSorted()).toEqual([
    "bus publish 1",
    "sessions create 1",
    "sessions create session_exists 1",
    "sessions get 1",
  ]);
  expect(points[0]?.value.buckets.boundaries[0]).toBe(0.0001);
});

test("keys, principals and payloads are not attributes", async () => {
  await using telemetry = startTelemetry();
  await using rates = createMemoryRateLimits();
  const stores = instrumentStores({ rates });
  for (let user = 0; user < 1_000; user++) {
    await stores.rates.take(`user-${user}`, { burst: 1, perSecond: 1 });
  }
  const points = await telemetry.points(metric);
  expect(points).toHaveLength(1);
  expect(points[0]?.attributes).toEqual({
    "tenon.store.name": "rates",
    "tenon.store.operation": "take",
  });
});

/** A store with private state, whose methods need their object. */
class Counting implements Pick<SessionStore, "delete"> {
  #count = 0;
  isClosed = false;

  delete(): Promise<boolean> {
    this.#count++;
    return Promise.resolve(this.#count > 1);
  }

  close(): Promise<void> {
    this.isClosed = true;
    return Promise.resolve();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }
}

test("a store that is a class keeps its state, and is closed with the result", async () => {
  await using telemetry = startTelemetry();
  const sessions = new Counting();
  {
    const stores = instrumentStores({ sessions, [Symbol.asyncDispose]: () => sessions.close() });
    await using _ = stores;
    expect([await stores.sessions.delete(), await stores.sessions.delete()]).toEqual([false, true]);
    // A copy is measured, too.
    const copy: Pick<SessionStore, "delete"> = { ...(stores.sessions as object) } as never;
    await copy.delete("s");
  }
  expect(sessions.isClosed).toBe(true);
  const [point] = await telemetry.points(metric);
  expect(point?.value.count).toBe(3);
});

test("without a provider calls are passed on", async () => {
  await using sessions = createMemorySessionStore();
  const stores = instrumentStores({ sessions, name: "main" });
  await stores.sessions.create(session, 1_000);
  expect(await sessions.get("s", undefined)).toBeDefined();
  expect(stores.name).toBe("main");
});
