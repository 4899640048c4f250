import { samples } from "@tenon/samples";
import * as fc from "fast-check";
import { expect, test } from "vitest";

import {
  compile as compileCore,
  isSchemaError,
  resolveSchema as resolveCore,
  type JSONSchema,
} from "../src/core.ts";
import { drafts } from "../src/dialect/standard.ts";
import { readFlat } from "../src/flat/read.ts";
import { compile, resolveSchema } from "../src/lazy.ts";
import { instance, names, pairs, schema, withoutRef } from "./support/pairs.ts";

const bound = fc.integer({ min: -1, max: 3 });
const count = fc.integer({ min: 0, max: 3 });
const type = fc.constantFrom("null", "boolean", "number", "integer", "string", "array", "object");
const scalar = fc.oneof(fc.constantFrom("", "a", "ab", "😀"), bound, fc.boolean(), fc.constant(null));

const leaf = fc.record(
  {
    type: fc.oneof(type, fc.uniqueArray(type, { minLength: 1, maxLength: 3 })),
    enum: fc.array(scalar, { minLength: 1, maxLength: 4 }),
    const: scalar,
    minimum: bound,
    maximum: bound,
    exclusiveMinimum: bound,
    exclusiveMaximum: bound,
    minLength: count,
    maxLength: count,
    pattern: fc.constantFrom("^a", "b$", "^.$"),
    minItems: count,
    maxItems: count,
    format: fc.constant("date"),
    title: fc.string(),
  },
  { requiredKeys: [] },
);
/** The schema with one or two of its keywords: with more, nothing conforms. */
const few = leaf.map((keywords) => Object.fromEntries(Object.entries(keywords).slice(0, 2)));
const nested = fc.letrec<{ schema: unknown }>((tie) => ({
  schema: fc.oneof(
    { maxDepth: 2 },
    few,
    fc.boolean(),
    fc.record({ items: tie("schema") }),
    fc.record({ anyOf: fc.array(tie("schema"), { minLength: 1, maxLength: 3 }) }),
    fc.record({ properties: fc.dictionary(fc.constantFrom(...names), tie("schema"), { maxKeys: 3 }) }),
  ),
})).schema;
const property = fc.oneof(
  nested,
  few.chain((keywords) => scalar.map((value) => ({ ...keywords, default: value }))),
);
const flat = fc.record(
  {
    $schema: fc.constantFrom(
      "http://json-schema.org/draft-07/schema#",
      "https://json-schema.org/draft/2020-12/schema",
    ),
    type: fc.constant("object"),
    properties: fc.dictionary(fc.constantFrom(...names.filter((name) => name !== "__proto__")), property, {
      maxKeys: 5,
      noNullPrototype: true,
    }),
    required: fc.array(fc.constantFrom(...names), { maxLength: 2 }),
    additionalProperties: nested,
  },
  { requiredKeys: ["properties"] },
) as fc.Arbitrary<JSONSchema>;
const instances = fc.array(instance, { minLength: 10, maxLength: 10 });

test("the flat validator gives the results, defaults and issues of the compiler", async () => {
  let valid = 0;
  await fc.assert(
    fc.asyncProperty(flat, instances, async (schema, values) => {
      expect(readFlat(schema)).toMatchObject({ isFlat: true, isDecided: true });
      const [small, whole] = [compile(schema), compileCore(schema)];
      const [filling, wholeFilling] = [resolveSchema(schema), resolveCore(schema)];
      expect(filling.load?.()).toBe(undefined);
      for (const value of values) {
        const result = small.check(value);
        valid += result instanceof Promise || !result.valid ? 0 : 1;
        expect(await result).toEqual(whole.check(value));
        expect(await filling.check(value)).toEqual(wholeFilling.check(value));
      }
    }),
    { numRuns: samples(1_000), endOnFailure: true },
  );
  expect(valid).toBeGreaterThan(samples(1_500));
  expect(valid).toBeLessThan(samples(8_500));
});

test("the lazy build gives the results of the core build for every schema", async () => {
  await fc.assert(
    fc.asyncProperty(pairs, async ([schema, values]) => {
      const [lazy, core] = [resolveSchema(schema), resolveCore(schema)];
      await lazy.load?.();
      for (const value of values) {
        expect(await lazy.check(value)).toEqual(core.check(value));
      }
    }),
    { numRuns: samples(300), endOnFailure: true },
  );
});

const junk = fc.constantFrom<unknown>(null, -1, 1.5, "x", "[", "#/nowhere", [], [1], ["a"], {}, { a: 1 });
const mutated = fc
  .tuple(fc.oneof(flat, schema.map(withoutRef)), fc.nat(), junk)
  .map(([schema, chosen, value]) => replaced(schema, chosen, value));

test("a malformed schema is refused without the compiler, with its code, location and message", () => {
  let refused = 0;
  let undecided = 0;
  fc.assert(
    fc.property(mutated, (schema) => {
      const expected = errorOf(() => compileCore(schema));
      let isDecided = true;
      const found = errorOf(() => void ({ isDecided } = readFlat(schema)));
      if (isDecided || found !== undefined) {
        expect(found).toEqual(expected);
        refused += found === undefined ? 0 : 1;
      } else if (expected !== undefined) {
        undecided++;
        expect(JSON.stringify(schema)).toMatch(/"(dependentRequired|\$schema)"/);
      }
    }),
    { numRuns: samples(3_000), endOnFailure: true },
  );
  expect(refused).toBeGreaterThan(samples(600));
  expect(undecided).toBeLessThan(samples(200));
});

/** A copy with another value at one of the places where a value is. */
function replaced(schema: JSONSchema, chosen: number, value: unknown): JSONSchema {
  const copy = structuredClone(schema);
  const places: [Record<string, unknown>, string][] = [];
  JSON.stringify(copy, function (this: Record<string, unknown>, key, item: unknown) {
    if (key !== "" && !Array.isArray(this)) {
      places.push([this, key]);
    }
    return item;
  });
  const [holder, key] = places[chosen % places.length] ?? [{}, ""];
  holder[key] = value;
  return copy;
}

function errorOf(work: () => unknown): object | undefined {
  try {
    work();
    return undefined;
  } catch (error) {
    if (!isSchemaError(error)) {
      throw error;
    }
    const { code, location, message, uri } = error;
    return { code, location, message, uri };
  }
}

const draft7 = "http://json-schema.org/draft-07/schema#";
const many = Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`p${i}`, { type: "string" }]));

test.each([
  ["an identifier", { $id: "https://example.test/a", type: "object" }],
  ["definitions", { $defs: { a: { $id: "b" } } }],
  ["an anchor", { $anchor: "a" }],
  ["a reference to another document", { $ref: "https://example.test/other" }],
  ["a reference to an anchor", { $ref: "#a" }],
  ["a dynamic reference", { $dynamicRef: "#/a" }],
  ["an unknown dialect", { $schema: "https://example.test/dialect" }],
  ["a list of schemas as items in draft-07", { $schema: draft7, items: [true] }],
  ["a keyword that draft-07 does not have", { $schema: draft7, minContains: -1 }],
  ["300 properties", { properties: many }],
] as [string, JSONSchema][])("a schema with %s is left to the compiler", (_, schema) => {
  expect(readFlat(schema)).toMatchObject({ isFlat: false, isDecided: false });
});

test("a schema that contains itself as an object does not hang the small reader", () => {
  const loop: Record<string, unknown> = { type: "object" };
  loop["properties"] = { loop };
  expect(readFlat(loop as JSONSchema).isDecided).toBe(false);
});

test("a default of a property named __proto__ is left to the compiler", async () => {
  const schema = JSON.parse('{ "properties": { "__proto__": { "default": 1 } } }') as JSONSchema;
  expect(readFlat(schema).isFlat).toBe(false);
  const { load, check } = resolveSchema(schema);
  await load?.();
  expect(await check({})).toEqual(resolveCore(schema).check({}));
});

test("a member that no dialect knows is an annotation, whatever its name and value", () => {
  const schema = { type: "object", "": 5, toString: 5, nullable: 5 } as JSONSchema;
  expect(readFlat(schema)).toEqual({ isFlat: true, isDecided: true });
});

const keywords = Object.entries(drafts).flatMap(([draft, dialect]) =>
  [...dialect.keywords.keys()].map((keyword) => [draft, keyword, `https:${dialect.uri}`] as const),
);
/** They assert nothing here: the lazy build has no option for formats. */
const ignored = new Set(["$comment", "contentEncoding", "contentMediaType"]);

test.each(keywords.filter(([, keyword]) => !ignored.has(keyword)))(
  "the small reader of %s knows %s: a keyword that it ignored would be accepted unchecked",
  (_, keyword, dialect) => {
    // No keyword allows both values in a flat schema.
    const readings = [5, {}].map((value) => {
      let isIgnored = false;
      errorOf(() => {
        const { isFlat, isDecided } = readFlat({ $schema: dialect, [keyword]: value });
        isIgnored = isFlat && isDecided;
      });
      return isIgnored;
    });
    expect(readings).toContain(false);
  },
);
