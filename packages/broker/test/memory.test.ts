import { authStoreConformance } from "@tenon/stores/testing";
import { describe, expect, test } from "vitest";

import { createMemoryAuthStore } from "../src/store/memory.ts";

describe("the store of the broker in memory", () => {
  const count = authStoreConformance({ test }, () => {
    let now = Date.UTC(2026, 10, 29);
    return Promise.resolve({
      store: createMemoryAuthStore({ date: () => now }),
      advance(ms: number) {
        now += ms;
        return Promise.resolve();
      },
      [Symbol.asyncDispose]: () => Promise.resolve(),
    });
  });
  test("the kit has all its checks", () => expect(count).toBe(20));
});
