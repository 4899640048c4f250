import { createVirtualClock } from "@tenon/jsonrpc2/testing";
import type { ReadResourceResult } from "@tenon/protocol";
import fc from "fast-check";
import { expect, test, vi } from "vitest";

import { ResourceCache } from "../src/index.ts";

const result = (text: string, more: Partial<ReadResourceResult> = {}): ReadResourceResult => ({
  contents: [{ uri: "x", text }],
  ...more,
});

test("S-265: an entry is good until its time is over, to the millisecond", () => {
  const clock = createVirtualClock();
  const cache = new ResourceCache({ clock, limits: { ttlMs: 100 } });
  cache.set("s", "u", result("1"));
  clock.advance(99);
  expect(cache.get("s", "u")).toEqual(result("1"));
  clock.advance(1);
  expect(cache.get("s", "u")).toBeUndefined();
});

test("S-265, S-246: with Infinity nothing expires, and 0 or less, which the seed meant so, is rejected with a hint", () => {
  const clock = createVirtualClock();
  const cache = new ResourceCache({ clock, limits: { ttlMs: Infinity } });
  cache.set("s", "u", result("1"));
  clock.advance(1e12);
  expect(cache.get("s", "u")).toEqual(result("1"));
  for (const ttlMs of [0, -1, Number.NaN]) {
    expect(() => new ResourceCache({ limits: { ttlMs } })).toThrow(
      /limits\.ttlMs must be .*or Infinity for no limit/,
    );
  }
});

test("S-266: the same URI on two servers is kept apart, whatever colons the names contain", () => {
  const cache = new ResourceCache();
  cache.set("a", "b:c", result("1"));
  cache.set("a:b", "c", result("2"));
  expect(cache.get("a", "b:c")).toEqual(result("1"));
  expect(cache.get("a:b", "c")).toEqual(result("2"));
});

test("S-267, S-270: the least recently used entry goes when the cache is full, and a hit counts as use", () => {
  const cache = new ResourceCache({ limits: { maxEntries: 2 } });
  cache.set("s", "1", result("1"));
  cache.set("s", "2", result("2"));
  cache.get("s", "1");
  cache.set("t", "3", result("3"));
  expect(cache.get("s", "2")).toBeUndefined();
  expect(cache.get("s", "1")).toEqual(result("1"));
  expect(cache.get("t", "3")).toEqual(result("3"));
});

test("S-268, S-273: an expired entry is a miss, still counts, and is neither refreshed nor removed by get", () => {
  const clock = createVirtualClock();
  const cache = new ResourceCache({ clock, limits: { ttlMs: 10, maxEntries: 2 } });
  cache.set("s", "1", result("1"));
  cache.set("s", "2", result("2"));
  clock.advance(10);
  expect(cache.get("s", "1")).toBeUndefined();
  expect(cache.size).toBe(2);
  cache.set("s", "3", result("3"));
  cache.set("s", "2", result("2 again"));
  expect(cache.get("s", "2")).toEqual(result("2 again"));
  expect(cache.size).toBe(2);
});

test("S-269: set overwrites, restarts the time and counts as use", () => {
  const clock = createVirtualClock();
  const cache = new ResourceCache({ clock, limits: { ttlMs: 10, maxEntries: 2 } });
  cache.set("s", "1", result("old"));
  cache.set("s", "2", result("2"));
  clock.advance(9);
  cache.set("s", "1", result("new"));
  clock.advance(9);
  expect(cache.get("s", "1")).toEqual(result("new"));
  cache.set("s", "3", result("3"));
  expect(cache.get("s", "1")).toEqual(result("new"));
  expect(cache.size).toBe(2);
});

test("S-271, S-272, S-273: one entry, one server, everything", () => {
  const cache = new ResourceCache();
  for (const server of ["a", "b"]) {
    for (const uri of ["1", "2"]) {
      cache.set(server, uri, result(uri));
    }
  }
  cache.delete("a", "1");
  expect(cache.size).toBe(3);
  expect(cache.get("a", "1")).toBeUndefined();
  cache.deleteServer("a");
  expect(cache.get("a", "2")).toBeUndefined();
  expect(cache.get("b", "2")).toEqual(result("2"));
  expect(cache.size).toBe(2);
  cache.clear();
  expect([cache.size, cache.bytes]).toEqual([0, 0]);
  cache.set("b", "2", result("2"));
  expect(cache.get("b", "2")).toEqual(result("2"));
});

test("R-575: a server's shorter ttlMs wins, 0 is not kept and takes the older entry with it", () => {
  const clock = createVirtualClock();
  const cache = new ResourceCache({ clock, limits: { ttlMs: 100 } });
  cache.set("s", "u", result("1", { ttlMs: 10 }));
  clock.advance(10);
  expect(cache.get("s", "u")).toBeUndefined();
  cache.set("s", "u", result("2", { ttlMs: 1000 }));
  clock.advance(99);
  expect(cache.get("s", "u")?.contents).toEqual(result("2").contents);
  clock.advance(1);
  expect(cache.get("s", "u")).toBeUndefined();
  cache.set("s", "u", result("3", { ttlMs: 0 }));
  expect(cache.size).toBe(0);
});

test("R-575: what is private belongs to one principal, what is public to all", () => {
  const cache = new ResourceCache();
  cache.set("s", "mine", result("1", { cacheScope: "private" }), { principal: "ann" });
  cache.set("s", "ours", result("2", { cacheScope: "public" }), { principal: "ann" });
  cache.set("s", "unsaid", result("3"), { principal: "ann" });
  expect(cache.get("s", "mine", { principal: "bob" })).toBeUndefined();
  expect(cache.get("s", "unsaid", { principal: "bob" })).toBeUndefined();
  expect(cache.get("s", "ours", { principal: "bob" })).toBeDefined();
  expect(cache.get("s", "mine", { principal: "ann" })).toBeDefined();
  cache.delete("s", "mine");
  expect(cache.get("s", "mine", { principal: "ann" })).toBeUndefined();
});

test("bytes are limited: the oldest go, and what is too large alone is not kept", () => {
  const cache = new ResourceCache({ limits: { maxBytes: 10_000 } });
  for (const uri of ["1", "2", "3"]) {
    cache.set("s", uri, result("x".repeat(2000)));
  }
  expect(cache.size).toBe(2);
  expect(cache.get("s", "1")).toBeUndefined();
  expect(cache.bytes).toBeLessThanOrEqual(10_000);
  cache.set("s", "huge", result("x".repeat(10_000)));
  expect(cache.get("s", "huge")).toBeUndefined();
  expect(cache.size).toBe(2);
});

/**
 * How often the maps of a cache are looked at while `action` runs: what it costs, without a clock.
 */
function looks(action: () => void): number {
  const iterator = Object.getPrototypeOf(new Map().values()) as { next(): unknown };
  const spies = [
    ...(["get", "set", "delete", "has", "values", "keys", "entries", "forEach"] as const).map((name) =>
      vi.spyOn(Map.prototype, name),
    ),
    vi.spyOn(iterator, "next"),
  ];
  try {
    action();
    return spies.reduce((sum, spy) => sum + spy.mock.calls.length, 0);
  } finally {
    spies.forEach((spy) => spy.mockRestore());
  }
}

test("S-274: get, set, delete and eviction cost the same in a full cache of 10 entries and of 10,000", () => {
  const costs = [10, 10_000].map((maxEntries) => {
    const cache = new ResourceCache({ limits: { maxEntries } });
    for (let entry = 0; entry < maxEntries; entry++) {
      cache.set(`server ${entry % 5}`, `uri ${entry}`, result("1"));
    }
    expect(cache.size).toBe(maxEntries);
    return {
      hit: looks(() => cache.get("server 4", `uri ${maxEntries - 1}`)),
      miss: looks(() => cache.get("server 4", "nothing")),
      overwrite: looks(() => cache.set("server 4", `uri ${maxEntries - 1}`, result("2"))),
      evict: looks(() => cache.set("server 4", "new", result("3"))),
      delete: looks(() => cache.delete("server 4", "new")),
    };
  });
  expect(costs[0]).toEqual(costs[1]);
  expect(Math.max(...Object.values(costs[1] ?? {}))).toBeLessThan(25);
});

test("S-274: whatever is done in whatever order, the cache holds what a plain list of the recently used would", () => {
  const key = fc.tuple(fc.constantFrom("a", "b"), fc.constantFrom("1", "2", "3"));
  const step = fc.oneof(
    fc.record({ do: fc.constant("set" as const), key, text: fc.string({ maxLength: 3 }) }),
    fc.record({ do: fc.constantFrom("get" as const, "delete" as const), key }),
    fc.record({ do: fc.constantFrom("deleteServer" as const, "clear" as const), key }),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const cache = new ResourceCache({ limits: { maxEntries: 3 } });
      let model: { server: string; uri: string; value: ReadResourceResult }[] = [];
      for (const one of steps) {
        const [server, uri] = one.key;
        const found = model.find((entry) => entry.server === server && entry.uri === uri);
        const others = model.filter((entry) => entry !== found);
        switch (one.do) {
          case "set": {
            const value = result(one.text);
            cache.set(server, uri, value);
            model = [...others, { server, uri, value }].slice(-3);
            break;
          }
          case "get":
            expect(cache.get(server, uri)).toBe(found?.value);
            model = found === undefined ? model : [...others, found];
            break;
          case "delete":
            cache.delete(server, uri);
            model = others;
            break;
          case "deleteServer":
            cache.deleteServer(server);
            model = model.filter((entry) => entry.server !== server);
            break;
          case "clear":
            cache.clear();
            model = [];
            break;
        }
        expect(cache.size).toBe(model.length);
      }
    }),
  );
});

test("R-581: a private result that was kept without a principal is for callers without one alone; a public one is for everybody", () => {
  const cache = new ResourceCache();
  cache.set("s", "u", result("private"));
  cache.set("s", "p", result("public", { cacheScope: "public" }));
  expect(cache.get("s", "u", { principal: "bob" })).toBeUndefined();
  expect(cache.get("s", "u")).toEqual(result("private"));
  for (const options of [{}, { principal: "bob" }]) {
    expect(cache.get("s", "p", options)?.contents).toEqual([{ uri: "x", text: "public" }]);
  }
  cache.delete("s", "u");
  expect(cache.get("s", "u")).toBeUndefined();
  expect(cache.size).toBe(1);
});

test("a hit is the very object that was kept: nothing is copied, encoded or asked for", () => {
  const cache = new ResourceCache();
  const kept = result("x".repeat(100_000));
  cache.set("s", "u", kept);
  // How long it takes is what `npm run bench -- host` measures, against a limit.
  expect(cache.get("s", "u")).toBe(kept);
  expect(looks(() => cache.get("s", "u"))).toBeLessThanOrEqual(3);
});
