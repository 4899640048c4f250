import type { LaneCaller } from "@tenon/host";
import { expect, test } from "vitest";

import { createWatching } from "../src/surface/watching.ts";

const caller = (key: string): LaneCaller => ({ key, session: undefined, inputs: {}, asks: "results" });
const ann = caller("ann");

test("clients cannot make a proxy watch more than 1,000 resources at a time", async () => {
  const watched = new Set<string>();
  const watching = createWatching({
    async *watch(uri, _, signal) {
      watched.add(uri);
      yield { uri };
      await new Promise<void>((resolve) => {
        signal.addEventListener("abort", () => resolve());
      });
      watched.delete(uri);
    },
    audienceOf: (of) => of,
    onUpdate: () => {},
    onError: (error) => {
      throw error;
    },
  });
  const uris = (count: number, at = 0): string[] =>
    Array.from({ length: count }, (_, index) => `state://${at + index}`);
  await expect(watching.during(uris(1001), ann, () => Promise.resolve())).rejects.toMatchObject({
    code: -32602,
  });
  expect(watched.size).toBe(0);
  await watching.during(uris(1000), ann, async () => {
    expect(watched.size).toBe(1000);
    await expect(watching.during(uris(1, 5000), ann, () => Promise.resolve())).rejects.toThrow(
      "At most 1000",
    );
    // Those that are watched already cost nothing.
    expect(await watching.during(uris(1000), ann, () => Promise.resolve("shared"))).toBe("shared");
  });
  expect(await watching.during(uris(1, 5000), ann, () => Promise.resolve("room"))).toBe("room");
});

test("clients that see different things have watches of their own, and are told apart", async () => {
  const began: string[] = [];
  const told: unknown[] = [];
  const watching = createWatching({
    async *watch(uri, { key }) {
      began.push(`${String(key)} ${uri}`);
      yield { uri };
    },
    audienceOf: (of) => of,
    onUpdate: (uri, audience) => told.push([uri, audience?.key]),
    onError: (error) => {
      throw error;
    },
  });
  await watching.during(["a:1"], ann, () => watching.during(["a:1"], caller("bob"), () => Promise.resolve()));
  expect(began).toEqual(["ann a:1", "bob a:1"]);
  expect(told).toEqual([
    ["a:1", "ann"],
    ["a:1", "bob"],
  ]);
});
