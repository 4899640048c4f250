import { eventStoreConformance } from "@tenon/stores/testing";
import { createMemoryEventStore } from "@tenon/transports-streamable-http/server";
import { afterEach, describe, expect, test, vi } from "vitest";

afterEach(() => {
  vi.useRealTimers();
});

describe("a memory event store", () => {
  const count = eventStoreConformance({ test }, () => {
    vi.useFakeTimers({ toFake: ["performance"] });
    return Promise.resolve({
      store: createMemoryEventStore(),
      advance: (ms) => Promise.resolve(void vi.advanceTimersByTime(ms)),
      [Symbol.asyncDispose]: () => Promise.resolve(),
    });
  });

  test("the kit has all its checks", () => {
    expect(count).toBe(18);
  });
});
