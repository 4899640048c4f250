import { samples } from "@tenon/samples";
import * as fc from "fast-check";
import { expect, test, vi } from "vitest";

import {
  compile,
  integer,
  Model,
  object,
  resolveSchema,
  string,
  type JSONSchema,
  type ModelClass,
} from "../src/index.ts";

const fill = (schema: object, value: unknown): unknown => compile(schema as JSONSchema).applyDefaults(value);

test("an object is made for a missing property only if it conforms: a valid input stays valid", () => {
  const near = {
    type: "object",
    properties: { lat: { type: "number" }, unit: { default: "C" } },
    required: ["lat"],
  } as const;
  const schema = { type: "object", properties: { near } } as const;
  expect(fill(schema, {})).toEqual({});
  expect(fill(schema, { near: { lat: 1 } })).toEqual({ near: { lat: 1, unit: "C" } });
  expect(resolveSchema(schema).check({})).toEqual({ valid: true, value: {} });
  class Place extends Model({ city: string(), country: string({ default: "NO" }) }) {}
  class Trip extends Model({ via: object(Place, { optional: true }) }) {}
  expect(resolveSchema(Trip).check({})).toEqual({ valid: true, value: new Trip() });
});

test("what contains itself is never made for a missing property", () => {
  const list = { properties: { next: { $ref: "#" }, n: { default: 1 } } };
  expect(fill(list, {})).toEqual({ n: 1 });
  expect(fill(list, { next: {} })).toEqual({ next: { n: 1 }, n: 1 });
  const tree = {
    $ref: "#/$defs/tree",
    $defs: {
      tree: {
        properties: {
          left: { allOf: [{ $ref: "#/$defs/tree" }, {}] },
          right: { $ref: "#/$defs/tree", description: "Greater" },
          color: { default: "red" },
        },
      },
    },
  };
  expect(fill(tree, {})).toEqual({ color: "red" });
  interface Comment {
    text: string;
    likes: number;
    parent?: Comment;
  }
  const Comment: ModelClass<Comment> = Model({
    text: string(),
    likes: integer({ default: 0 }),
    parent: object((): ModelClass<Comment> => Comment, { optional: true }),
  });
  expect(resolveSchema(Comment).check({ text: "a" })).toMatchObject({ value: { text: "a", likes: 0 } });
});

test("bombs of defaults end: shared definitions, and defaults that contain their own definition", () => {
  const bomb = (next: (ref: { $ref: string }) => object): JSONSchema => {
    const $defs: Record<string, object> = { a0: { properties: { n: { default: 1 } } } };
    for (let i = 1; i <= 40; i++) {
      $defs[`a${i}`] = next({ $ref: `#/$defs/a${i - 1}` });
    }
    return { $ref: "#/$defs/a40", $defs };
  };
  expect(fill(bomb((ref) => ({ allOf: [ref, { ...ref, title: "again" }] })) as object, {})).toEqual({ n: 1 });
  const wide = fill(bomb((ref) => ({ properties: { l: ref, r: ref } })) as object, {});
  expect(JSON.stringify(wide).length).toBeLessThan(100_000);
  const endless = { properties: { l: { $ref: "#", default: {} }, r: { $ref: "#", default: {} } } };
  expect(fill(endless, {})).toHaveProperty(["r"]);
  // Two definitions that both apply at each level of the value.
  const crossed = {
    $ref: "#/$defs/x",
    $defs: {
      x: { properties: { a: { allOf: [{ $ref: "#/$defs/x" }, { $ref: "#/$defs/y" }] }, n: { default: 1 } } },
      y: { properties: { a: { allOf: [{ $ref: "#/$defs/y" }, { $ref: "#/$defs/x" }] }, m: { default: 2 } } },
    },
  };
  let deep: object = {};
  for (let i = 0; i < 60; i++) {
    deep = { a: deep };
  }
  expect(fill(crossed, deep)).toMatchObject({ n: 1, a: { n: 1, m: 2, a: { n: 1, m: 2 } } });
});

test("a value that contains itself, which is not JSON, ends", () => {
  const knot: Record<string, unknown> = {};
  knot["l"] = knot["r"] = knot;
  const filled = fill({ properties: { l: { $ref: "#" }, r: { $ref: "#" }, n: { default: 1 } } }, knot);
  expect(filled).toMatchObject({ n: 1 });
});

test("a value whose names take the linear-time matcher to its limit is not filled, and nothing is thrown", () => {
  const schema = { patternProperties: { "^(a+)+$": { properties: { n: { default: 1 } } } } } as const;
  const validator = compile(schema, { untrusted: true });
  expect(validator.applyDefaults({ aa: {} })).toEqual({ aa: { n: 1 } });
  const long = { ["a".repeat(20_000_000)]: {} };
  expect(validator.is(long)).toBe(false);
  expect(validator.applyDefaults(long)).toBe(long);
});

test("a value that no default reaches is the very one that was given, whatever it is", () => {
  const at = new Date(0);
  const schema = { properties: { at: {}, list: { items: {} }, n: { default: 1 } } };
  const list = [new Map()];
  const filled = fill(schema, { at, list }) as { readonly at: Date; readonly list: unknown };
  expect(filled).toEqual({ at, list, n: 1 });
  expect(filled.at).toBe(at);
  expect(filled.list).toBe(list);
  const complete = { at, n: 2 };
  expect(fill(schema, complete)).toBe(complete);
  const frozen = Object.freeze({ n: 1, list: Object.freeze([1]) });
  expect(compile(schema).applyDefaults(frozen, { mutate: true })).toBe(frozen);
  expect(() => compile(schema).applyDefaults(Object.freeze({}), { mutate: true })).toThrow(TypeError);
});

test("a branch that alone takes values of that type is filled", () => {
  const place = { type: "object", properties: { unit: { default: "C" } } };
  const nullable = { properties: { near: { anyOf: [place, { type: "null" }] } } };
  expect(fill(nullable, { near: {} })).toEqual({ near: { unit: "C" } });
  expect(fill(nullable, { near: null })).toEqual({ near: null });
  expect(fill(nullable, {})).toEqual({});
  const either = { oneOf: [{ type: "array", items: place }, { type: "string" }, place] };
  expect(fill(either, [{}])).toEqual([{ unit: "C" }]);
  expect(fill(either, {})).toEqual({ unit: "C" });
});

test("members that a pattern describes are filled, like those of additionalProperties", () => {
  const place = { properties: { unit: { default: "C" } } };
  const schema = {
    patternProperties: { "^p": place },
    additionalProperties: { properties: { n: { default: 1 } } },
  };
  expect(fill(schema, { p: {}, q: {}, r: undefined })).toEqual({
    p: { unit: "C" },
    q: { n: 1 },
    r: undefined,
  });
});

test("tuples are filled by position, and a default beside a reference wins over one behind it", () => {
  const schema = {
    prefixItems: [{ $ref: "#/$defs/place", default: { km: 2 } }],
    items: { properties: { near: { $ref: "#/$defs/place", default: { km: 5 } } } },
    $defs: { place: { properties: { km: { default: 1 }, unit: { default: "km" } }, default: { km: 9 } } },
  };
  expect(fill(schema, [{}, {}, "other"])).toEqual([
    { km: 1, unit: "km" },
    { near: { km: 5, unit: "km" } },
    "other",
  ]);
});

test("filling never changes its input, is idempotent, and keeps valid values valid", () => {
  const leaf = fc.constantFrom(
    { type: "integer", default: 1 },
    { type: "string", default: "x" },
    { default: { a: 1 } },
    { type: "string" },
    {},
  );
  const name = fc.constantFrom("a", "b", "__proto__", "toString");
  const { node } = fc.letrec<{ node: object }>((tie) => ({
    node: fc.oneof(
      { maxDepth: 4, depthSize: "small" },
      leaf,
      fc.record({
        type: fc.constant("object"),
        properties: fc.dictionary(name, tie("node"), { maxKeys: 3, noNullPrototype: true }),
        required: fc.uniqueArray(name, { maxLength: 1 }),
      }),
      fc.record({ type: fc.constant("array"), items: tie("node") }),
      fc.record({ anyOf: fc.tuple(tie("node"), fc.constant({ type: "null" })) }),
      fc.record({ allOf: fc.array(tie("node"), { minLength: 1, maxLength: 2 }) }),
      fc.constant({ $ref: "#" }),
    ),
  }));
  const root = node.map((schema) => ({ properties: { a: schema } }));
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 3, depthSize: "small" },
      fc.constantFrom(null, 1, "x"),
      fc.dictionary(name, tie("value"), { maxKeys: 3, noNullPrototype: true }),
      fc.array(tie("value"), { maxLength: 2 }),
    ),
  }));
  let filledSome = 0;
  fc.assert(
    fc.property(root, fc.record({ a: value }, { requiredKeys: [] }), (schema, input) => {
      const validator = compile(schema as JSONSchema);
      const before = structuredClone(input);
      const filled = validator.applyDefaults(input);
      expect(input).toEqual(before);
      expect(validator.applyDefaults(filled)).toEqual(filled);
      if (filled !== input) {
        filledSome++;
      }
      // Without unions a default is the only thing that is added, and those here conform.
      if (validator.is(input) && !JSON.stringify(schema).includes("allOf")) {
        expect(validator.is(filled)).toBe(true);
      }
      expect(validator.applyDefaults(structuredClone(input), { mutate: true })).toEqual(filled);
    }),
    { numRuns: samples(1000) },
  );
  expect(filledSome).toBeGreaterThan(samples(20));
});

test("a default of null is a default", () => {
  const schema: JSONSchema = { properties: { a: { default: null, allOf: [{ default: 1 }] } } };
  expect(compile(schema).applyDefaults({})).toEqual({ a: null });
});

test("required names are not searched once for each property", () => {
  const names = Array.from({ length: 500 }, (_, i) => `p${i}`);
  const properties = Object.fromEntries(names.map((name) => [name, { default: 1 }]));
  const searched = vi.spyOn(Array.prototype, "includes");
  try {
    const validator = compile({ properties, required: names }, { engine: "closures" });
    expect(validator.applyDefaults({})).toEqual({});
    expect(validator.check({}).valid).toBe(false);
    expect(searched.mock.contexts.filter((list) => (list as unknown[]).length >= names.length)).toEqual([]);
  } finally {
    searched.mockRestore();
  }
});
