import { createVirtualClock } from "@tenon/jsonrpc2/testing";
import { expect, test, vi } from "vitest";

import { createMemoryBus, shareChanges, StoreError, type Bus, type BusListener } from "../src/index.ts";

/** Everything may have changed. */
const everything = { origin: "gap" };

test("a change is announced by every process that shares the topic", async () => {
  await using bus = createMemoryBus();
  const [one, two, other] = [vi.fn(), vi.fn(), vi.fn()];
  await using first = shareChanges(bus, one);
  await using _second = shareChanges(bus, two);
  await using _third = shareChanges(bus, other, { topic: "others" });
  const change = { method: "notifications/tools/list_changed", origin: "o" };
  first.publish(change);
  await vi.waitFor(() => expect(two).toHaveBeenCalledExactlyOnceWith(change));
  expect(one).toHaveBeenCalledExactlyOnceWith(change);
  expect(other).not.toHaveBeenCalled();
});

test("after a gap, everything is announced once", async () => {
  const listeners: BusListener[] = [];
  await using memory = createMemoryBus();
  const bus: Bus = {
    ...memory,
    subscribe(topic, listener) {
      listeners.push(listener);
      return memory.subscribe(topic, listener);
    },
  };
  const announce = vi.fn<(change: object) => void>();
  await using _changes = shareChanges(bus, announce);
  listeners[0]?.gap();
  expect(announce.mock.calls).toEqual([[everything]]);
});

test("a bus that cannot be reached is tried again, and then everything is announced", async () => {
  let attempts = 0;
  await using memory = createMemoryBus();
  const failure = new StoreError("STORE_FAILED", "down");
  const bus: Bus = {
    ...memory,
    publish: () => Promise.reject(failure),
    subscribe: (topic, listener) =>
      ++attempts < 4 ? Promise.reject(failure) : memory.subscribe(topic, listener),
  };
  const timers: (() => void)[] = [];
  const clock = {
    now: () => 0,
    setTimeout: (callback: () => void) => timers.push(callback),
    clearTimeout: () => undefined,
  };
  const announce = vi.fn<(change: object) => void>();
  const onError = vi.fn();
  await using changes = shareChanges(bus, announce, { clock, onError });
  for (let turn = 0; turn < 3; turn++) {
    await vi.waitFor(() => expect(timers).toHaveLength(1));
    // The first failure is reported, and no further.
    expect(onError).toHaveBeenCalledExactlyOnceWith(failure);
    timers.shift()?.();
  }
  await vi.waitFor(() => expect(announce.mock.calls).toEqual([[everything]]));
  expect(onError).toHaveBeenCalledExactlyOnceWith(failure);
  changes.publish({ method: "m" });
  await vi.waitFor(() => expect(onError).toHaveBeenCalledTimes(2));
});

test("changes that cannot be published are published again, each once, until the bus accepts them", async () => {
  const clock = createVirtualClock();
  await using memory = createMemoryBus();
  let isDown = true;
  const bus: Bus = {
    ...memory,
    publish: (topic, payload) =>
      isDown ? Promise.reject(new StoreError("STORE_FAILED", "down")) : memory.publish(topic, payload),
  };
  const announce = vi.fn<(change: object) => void>();
  const onError = vi.fn<(error: unknown) => void>();
  await using changes = shareChanges(bus, () => undefined, { clock, onError });
  await using _other = shareChanges(memory, announce);
  const [tools, prompts] = [{ method: "tools" }, { method: "prompts" }];
  changes.publish(tools);
  changes.publish(prompts);
  changes.publish(tools);
  await vi.waitFor(() => expect(onError).toHaveBeenCalledTimes(3));
  clock.advance(1000);
  await Promise.resolve();
  expect(announce).not.toHaveBeenCalled();
  isDown = false;
  await vi.waitFor(() => {
    clock.advance(1000);
    expect(announce.mock.calls).toEqual([[tools], [prompts]]);
  });
  clock.advance(5000);
  expect(announce).toHaveBeenCalledTimes(2);
});

test("more than 1,000 changes that wait for the bus become the message that everything may have changed", async () => {
  const clock = createVirtualClock();
  await using memory = createMemoryBus();
  let isDown = true;
  const bus: Bus = {
    ...memory,
    publish: (topic, payload) =>
      isDown ? Promise.reject(new StoreError("STORE_FAILED", "down")) : memory.publish(topic, payload),
  };
  const announce = vi.fn<(change: object) => void>();
  const onError = vi.fn<(error: unknown) => void>();
  await using changes = shareChanges(bus, () => undefined, { clock, onError });
  await using _other = shareChanges(memory, announce);
  for (let index = 0; index <= 1000; index++) {
    changes.publish({ method: "notifications/resources/updated", uri: `test://${index}` });
  }
  await vi.waitFor(() => expect(onError).toHaveBeenCalledTimes(1001));
  isDown = false;
  await vi.waitFor(() => {
    clock.advance(1000);
    expect(announce.mock.calls).toEqual([[everything]]);
  });
});
