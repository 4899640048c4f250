import { memoryReplayStore } from "@tenon/auth/server";
import { replayStoreConformance } from "@tenon/stores/testing";
import { describe, expect, test } from "vitest";

describe("a memory replay store", () => {
  const count = replayStoreConformance({ test }, () =>
    Promise.resolve({
      store: memoryReplayStore(),
      advance: () => Promise.resolve(),
      [Symbol.asyncDispose]: () => Promise.resolve(),
    }),
  );

  test("the kit has all its checks", () => {
    expect(count).toBe(6);
  });
});
