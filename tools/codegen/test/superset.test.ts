import { expect, test } from "vitest";

import type { Definitions } from "../src/schema.ts";
import { mergeRevisions } from "../src/superset.ts";

const facts = { renames: {}, filledIn: ["_meta"], elided: [] };

/** Merges two revisions and drops the presence marks. */
function merge(
  older: Definitions,
  newer: Definitions,
  overrides: Partial<typeof facts> & { renames?: { [name: string]: string } } = {},
): Definitions {
  const merged = mergeRevisions(
    [
      { revision: "2001-01-01", definitions: older },
      { revision: "2002-02-02", definitions: newer },
    ],
    { ...facts, ...overrides },
  );
  return JSON.parse(
    JSON.stringify(merged, (key, value: unknown) => (key === "x-revisions" ? undefined : value)),
  ) as Definitions;
}

const text = { type: "string" };

test("the newest structure of a field wins", () => {
  const merged = merge(
    { A: { type: "object", properties: { x: { type: "object" } } } },
    { A: { type: "object", properties: { x: {} } } },
  );
  expect(merged["A"]).toMatchObject({ properties: { x: {} } });
});

test("S-071 a field is required only if every revision requires it", () => {
  const merged = merge(
    { A: { type: "object", properties: { kept: text, gone: text }, required: ["kept", "gone"] } },
    { A: { type: "object", properties: { kept: text, fresh: text }, required: ["kept", "fresh"] } },
  );
  expect(merged["A"]).toEqual({
    type: "object",
    properties: { kept: text, gone: text, fresh: text },
    required: ["kept"],
  });
});

test("unions and enums take in what only older revisions have", () => {
  const merged = merge(
    { U: { anyOf: [{ $ref: "#/$defs/B" }, { $ref: "#/$defs/C" }] }, E: { enum: ["a", "b"] } },
    { U: { anyOf: [{ $ref: "#/$defs/C" }, { $ref: "#/$defs/D" }] }, E: { enum: ["c", "a"] } },
  );
  expect(merged["U"]).toEqual({
    anyOf: [{ $ref: "#/$defs/C" }, { $ref: "#/$defs/D" }, { $ref: "#/$defs/B" }],
  });
  expect(merged["E"]).toEqual({ enum: ["c", "a", "b"] });
});

test("a shape written in place joins the definition that later revisions name it by", () => {
  const merged = merge(
    { A: { type: "object", properties: { b: { type: "object", properties: { old: text } } } } },
    {
      A: { type: "object", properties: { b: { $ref: "#/$defs/B" } } },
      B: { type: "object", properties: { new: text }, required: ["new"] },
    },
  );
  expect(merged["A"]).toMatchObject({ properties: { b: { $ref: "#/$defs/B" } } });
  expect(merged["B"]).toEqual({ type: "object", properties: { old: text, new: text }, required: [] });
});

test("an open map gains no fields from shapes that it replaces", () => {
  const open = { type: "object", additionalProperties: {} };
  const merged = merge(
    { A: { type: "object", properties: { b: { ...open, properties: { old: text } } } } },
    { A: { type: "object", properties: { b: { $ref: "#/$defs/B" } } }, B: open },
  );
  expect(merged["B"]).toEqual({ ...open, properties: {}, required: [] });
});

test("a definition with a later name joins the later one", () => {
  const merged = merge(
    { Old: { type: "object", properties: { x: text } }, U: { anyOf: [{ $ref: "#/$defs/Old" }] } },
    { New: { type: "object", properties: { y: text } }, U: { anyOf: [{ $ref: "#/$defs/New" }] } },
    { renames: { Old: "New" } },
  );
  expect(Object.keys(merged).sort()).toEqual(["New", "U"]);
  expect(merged["New"]).toMatchObject({ properties: { x: text, y: text } });
  expect(merged["U"]).toEqual({ anyOf: [{ $ref: "#/$defs/New" }] });
});

test("a map that any revision leaves open stays open", () => {
  const merged = merge(
    { A: { type: "object", additionalProperties: true } },
    { A: { type: "object", additionalProperties: text } },
  );
  expect(merged["A"]).toMatchObject({ additionalProperties: {} });
});

test("a field that the session fills in is optional", () => {
  const merged = merge(
    {},
    { A: { type: "object", properties: { _meta: text, x: text }, required: ["_meta", "x"] } },
  );
  expect(merged["A"]).toMatchObject({ required: ["x"] });
});
