import { describe, expect, it } from "vitest";

import { createGenerator, type JSONSchema } from "../src/generate.ts";

const self = { $ref: "#" } as const;
const many = (count: number): string[] => Array.from({ length: count }, (_, index) => `p${index}`);
const membersOf = (count: number, schema: JSONSchema): Record<string, JSONSchema> =>
  Object.fromEntries(many(count).map((name) => [name, schema]));

/** Each of them asks in a few bytes, or in a few kilobytes, for much more than it is long. */
const withoutValue: Readonly<Record<string, JSONSchema>> = {
  "a text of 30 million characters": { type: "string", minLength: 3e7 },
  "a text that is longer than it may be": { type: "string", minLength: 1_000_000, maxLength: 10 },
  "many long texts": { type: "array", minItems: 100, items: { type: "string", minLength: 500_000 } },
  "20,000 items that differ": { uniqueItems: true, minItems: 20_000, type: "array" },
  "5,000 items that differ, of two values": {
    type: "array",
    uniqueItems: true,
    minItems: 5_000,
    items: { type: "boolean" },
  },
  "a billion items that contain something": { type: "array", contains: { const: 1 }, minContains: 1e9 },
  "lists of lists": {
    type: "array",
    minItems: 300,
    items: { type: "array", minItems: 300, items: { type: "null" } },
  },
  "three required references to itself": {
    type: "object",
    properties: { a: self, b: self, c: self },
    required: ["a", "b", "c"],
  },
  "a list of three of itself": { type: "array", minItems: 3, items: self },
  "100 million properties": { type: "object", minProperties: 1e8 },
  "20,000 required properties": { type: "object", required: many(20_000) },
  "5,000 required properties that are forbidden": {
    type: "object",
    required: many(5_000),
    properties: membersOf(5_000, false),
  },
  "properties that need each other": {
    type: "object",
    required: ["p0"],
    dependentRequired: Object.fromEntries(many(400).map((name) => [name, many(20_000).slice(0, 300)])),
    minProperties: 20_000,
  },
  "dependent schemas that contain themselves": {
    type: "object",
    required: ["a"],
    dependentSchemas: { a: { required: ["b", "c"], properties: { b: self, c: self } } },
  },
  "lists of values that exclude each other": {
    allOf: [{ enum: many(3_000) }, { enum: many(3_000).map((name) => `${name}!`) }],
  },
  "a large constant, often": {
    type: "array",
    minItems: 500,
    items: { const: { text: "x".repeat(10_000) } },
  },
};

describe("a hostile schema gets no value, and does not take the process", () => {
  it.each(Object.entries(withoutValue))("%s", (_, schema) => {
    const generator = createGenerator(schema);
    expect(generator.valid()).toEqual([]);
    expect(generator.nearMisses()).toEqual([]);
  });
});

const withValue: Readonly<Record<string, JSONSchema>> = {
  "a text of a million characters": { type: "string", minLength: 1_000_000 },
  "a long text by a pattern": { type: "string", pattern: "^[\u2ffe\u2fff]{2000}$" },
  "empty repetitions of empty repetitions": { type: "string", pattern: "^((a{0}){100}){100}$" },
  "9,000 items": { type: "array", minItems: 9_000, items: { type: "integer" } },
  "300 texts that differ": { type: "array", uniqueItems: true, minItems: 300, items: { type: "string" } },
  "5,000 required properties": { type: "object", required: many(5_000) },
  "5,000 properties": { type: "object", properties: membersOf(5_000, { type: "integer" }) },
};

describe("a schema with large values still has them", () => {
  it.each(Object.entries(withValue))("%s", (_, schema) => {
    const generator = createGenerator(schema);
    expect(generator.valid()).toHaveLength(1);
    expect(generator.nearMisses()).not.toEqual([]);
  });
});
