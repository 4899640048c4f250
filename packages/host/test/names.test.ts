import { createHash } from "node:crypto";

import { samples } from "@tenon/samples";
import fc from "fast-check";
import { expect, test } from "vitest";

import { NameTable } from "../src/index.ts";
import { sha256 } from "../src/names/sha256.ts";

test("SHA-256 agrees with the platform's on texts of every length around a block and on random ones", () => {
  for (let length = 0; length < 200; length++) {
    const text = "é".repeat(length);
    expect(sha256(text)).toBe(createHash("sha256").update(text).digest("hex"));
  }
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      expect(sha256(text)).toBe(createHash("sha256").update(text).digest("hex"));
    }),
  );
});

test("S-253: simple names are mcp__<server>__<tool>", () => {
  const names = new NameTable();
  expect(names.nameOf("notes", "add_note")).toBe("mcp__notes__add_note");
  expect(names.nameOf("a-b", "C-d_e")).toBe("mcp__a-b__C-d_e");
});

test.each([
  ["a", "b__c", "a__b", "c"],
  ["a", "_b", "a_", "b"],
  ["a", "b.c", "a", "b/c"],
  ["x".repeat(60), "y", "x".repeat(60), "z"],
])("S-253: %s/%s and %s/%s have names of their own", (server, tool, otherServer, otherTool) => {
  const names = new NameTable();
  const one = names.nameOf(server, tool);
  const other = names.nameOf(otherServer, otherTool);
  expect(one).not.toBe(other);
  for (const name of [one, other]) {
    expect(name).toMatch(/^mcp__[a-zA-Z0-9_-]{1,59}$/);
  }
});

test("a tool that bears the shortened name of another tool gets another name", () => {
  const names = new NameTable();
  const shortened = names.nameOf("s", "a.b");
  const impostor = shortened.slice("mcp__s__".length);
  expect(names.nameOf("s", impostor)).not.toBe(shortened);
  expect(names.addressOf(shortened)).toEqual({ server: "s", tool: "a.b" });
});

// Fifty thousand hashes: seconds, and many of them where others work too.
test("names do not depend on the order in which tools are seen, and random pairs all differ and lead back", () => {
  // Few characters and an underscore among them: borders and look-alikes are frequent.
  const part = fc.oneof(
    fc.string({ unit: fc.constantFrom("a", "_", "b", ".", "é"), minLength: 1, maxLength: 8 }),
    fc.string({ unit: fc.constantFrom("x", "_"), minLength: 40, maxLength: 70 }),
    fc.string({ minLength: 1, maxLength: 12 }),
  );
  const pairs = fc.sample(fc.tuple(part, part), { numRuns: samples(100_000), seed: 20_261_121 });
  const distinct = new Map(pairs.map((pair) => [JSON.stringify(pair), pair]));
  const names = new NameTable();
  const seen = new Map<string, string>();
  for (const [key, [server, tool]] of distinct) {
    const name = names.nameOf(server, tool);
    if (!/^[a-zA-Z0-9_-]{1,64}$/.test(name) || seen.has(name)) {
      throw new Error(`${key} and ${seen.get(name)} are named ${name}`);
    }
    seen.set(name, key);
  }
  const backwards = new NameTable();
  for (const [server, tool] of [...distinct.values()].toReversed()) {
    const name = backwards.nameOf(server, tool);
    if (name !== names.nameOf(server, tool)) {
      throw new Error(`${server}/${tool} is named ${name} when the order is another`);
    }
    const address = names.addressOf(name);
    if (address?.server !== server || address.tool !== tool) {
      throw new Error(`${name} leads to ${JSON.stringify(address)}`);
    }
  }
  expect(distinct.size).toBeGreaterThan(samples(60_000));
  expect(names.size).toBe(distinct.size);
});

test("each server has a limited number of names: the one asked for longest ago is forgotten, other servers keep theirs", () => {
  const names = new NameTable({ maxNames: 2 });
  names.nameOf("quiet", "t");
  for (const tool of ["a", "b", "a", "c"]) {
    names.nameOf("busy", tool);
  }
  expect(names.size).toBe(3);
  expect(names.addressOf("mcp__busy__b")).toBeUndefined();
  expect(names.addressOf("mcp__busy__a")).toEqual({ server: "busy", tool: "a" });
  for (let round = 0; round < 1000; round++) {
    names.nameOf("busy", `t${round}`);
  }
  expect(names.size).toBe(3);
  expect(names.addressOf("mcp__quiet__t")).toEqual({ server: "quiet", tool: "t" });
  expect(names.nameOf("busy", "b")).toBe("mcp__busy__b");
});
