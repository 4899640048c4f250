import { samples } from "@tenon/samples";
import * as fc from "fast-check";
import { expect, test } from "vitest";

import {
  array,
  compile,
  For,
  inline,
  isSchemaError,
  object,
  string,
  type JSONSchema,
  type JSONSchemaObject,
} from "../src/index.ts";

test("inline writes out local references and drops the definitions (portable output)", () => {
  const schema = {
    type: "object",
    properties: {
      from: { $ref: "#/$defs/place", description: "Start" },
      to: { $ref: "#/$defs/place" },
      any: { $ref: "#/$defs/yes" },
      none: { $ref: "#/definitions/no~1thing" },
      named: { enum: [{ $ref: "#/$defs/place" }] },
      elsewhere: { $ref: "https://example.test/other" },
      strict: { $ref: "#/$defs/place", required: ["zip"] },
    },
    $defs: {
      place: { type: "object", description: "A place", properties: { zip: { $ref: "#/$defs/zip" } } },
      zip: { type: "string" },
      yes: true,
    },
    definitions: { "no/thing": false },
  } as const;
  const before = structuredClone(schema);
  const place = { type: "object", description: "A place", properties: { zip: { type: "string" } } };
  expect(inline(schema)).toEqual({
    type: "object",
    properties: {
      from: { ...place, description: "Start" },
      to: place,
      any: {},
      none: { not: {} },
      named: { enum: [{ $ref: "#/$defs/place" }] },
      elsewhere: { $ref: "https://example.test/other" },
      strict: { required: ["zip"], allOf: [place] },
    },
  });
  expect(schema).toEqual(before);
});

class Tree {
  @string() value!: string;
  @array(() => Tree, { optional: true }) children?: Tree[];
}
class Forest {
  @object(() => Tree) first!: Tree;
  @object(() => Tree) second!: Tree;
}

test("what contains itself is kept under $defs, or loosened to its type", () => {
  const kept = inline(For(Forest));
  expect(kept).toMatchObject({
    properties: {
      first: { type: "object", properties: { children: { items: { $ref: "#/$defs/first" } } } },
    },
    $defs: { first: { properties: { children: { items: { $ref: "#/$defs/first" } } } } },
  });
  const trees = { first: { value: "a" }, second: { value: "b", children: [{ value: "c", children: [] }] } };
  expect(compile(kept).is(trees)).toBe(true);
  expect(
    compile(kept).is({ ...trees, first: { value: "a", children: [{ value: "b", children: [{}] }] } }),
  ).toBe(false);

  const loose = inline(For(Forest), { recursive: "loosen" });
  expect(JSON.stringify(loose)).not.toContain("$ref");
  expect(loose).toMatchObject({
    properties: { first: { properties: { children: { items: { type: "object" } } } } },
  });
  expect(inline(For(Tree), { recursive: "loosen" })).toMatchObject({
    properties: { children: { items: { type: "object" } } },
  });
});

test("a bomb of references and a bottomless schema are refused at the limit", () => {
  const $defs: Record<string, JSONSchema> = { a0: { type: "string" } };
  for (let i = 1; i <= 40; i++) {
    $defs[`a${i}`] = { properties: { x: { $ref: `#/$defs/a${i - 1}` }, y: { $ref: `#/$defs/a${i - 1}` } } };
  }
  let deep: JSONSchema = {};
  for (let i = 0; i < 100_000; i++) {
    deep = { items: deep };
  }
  for (const hostile of [{ $ref: "#/$defs/a40", $defs }, deep]) {
    try {
      inline(hostile);
      expect.unreachable();
    } catch (error) {
      expect(isSchemaError(error) && error.code).toBe("limit-exceeded");
    }
  }
});

test("a property may be called what a keyword is called", () => {
  const properties = {
    default: { $ref: "#/$defs/text" },
    enum: { items: { $ref: "#/$defs/text" } },
    $ref: { type: "string" },
    $id: { $ref: "#/$defs/text" },
  };
  const schema = {
    properties,
    default: { $ref: "#/$defs/text" },
    $defs: { text: { type: "string" } },
  } as const;
  expect(inline(schema as never)).toEqual({
    properties: {
      default: { type: "string" },
      enum: { items: { type: "string" } },
      $ref: { type: "string" },
      $id: { type: "string" },
    },
    default: { $ref: "#/$defs/text" },
  });
});

test("what has a name of its own is referred to and not repeated, and no reference is left without its target", () => {
  const $defs = {
    anchored: { $anchor: "A", type: "string" },
    named: {
      $id: "https://example.test/named",
      $defs: { n: { type: "null" } },
      items: { $ref: "#/$defs/n" },
    },
    dynamic: { $dynamicAnchor: "D", properties: { d: { $dynamicRef: "#D" } } },
    plain: { type: "integer" },
  } as const;
  const properties = {
    a: { $ref: "#A" },
    b: { $ref: "#/$defs/anchored" },
    c: { $ref: "#/$defs/anchored" },
    d: { $dynamicRef: "#D" },
    e: { $ref: "https://example.test/named" },
    f: { $ref: "#/$defs/named" },
    g: { $ref: "https://example.test/root#/$defs/plain" },
    h: { $ref: "#/$defs/plain" },
  };
  const schema: JSONSchema = { $id: "https://example.test/root", properties, $defs };
  const inlined = inline(schema) as { readonly properties: object };
  expect(inlined.properties).toMatchObject({ b: { $ref: "#/$defs/anchored" }, h: { type: "integer" } });
  const [before, after] = [compile(schema), compile(inlined as JSONSchema)];
  for (const value of ["x", 1, null, [null], [1], { d: { d: 1 } }, { d: [] }]) {
    for (const name of Object.keys(properties)) {
      expect([name, after.is({ [name]: value })]).toEqual([name, before.is({ [name]: value })]);
    }
  }
});

test("a reference by an anchor is not taken for one to the whole schema", () => {
  const schema: JSONSchema = {
    type: "object",
    properties: { kind: { $ref: "#kind" }, spelt: { $ref: "#%6Bind" } },
    $defs: { kind: { $anchor: "kind", enum: ["oak", "ash"] } },
  };
  for (const recursive of ["keep", "loosen"] as const) {
    const inlined = inline(schema, { recursive });
    expect(inlined).toEqual(schema);
    expect(compile(inlined).is({ kind: "oak", spelt: "ash" })).toBe(true);
    expect(compile(inlined).is({ kind: {} })).toBe(false);
  }
});

test("definitions of both names may refer to each other, and be called __proto__", () => {
  const schema = JSON.parse(
    `{"$ref":"#/definitions/list","definitions":{"list":{"items":{"$ref":"#/$defs/__proto__"}}},
      "$defs":{"__proto__":{"type":"array","items":{"$ref":"#/definitions/list"}},"unused":true}}`,
  ) as JSONSchema;
  const inlined = inline(schema) as JSONSchemaObject;
  expect([compile(inlined).is([[[[]]]]), compile(inlined).is([[[1]]]), compile(inlined).is([[1]])]).toEqual([
    true,
    false,
    true,
  ]);
  expect(inlined.$defs ?? {}).not.toHaveProperty("unused");
});

test("in draft-07 what stands beside a reference has no say", () => {
  const schema: JSONSchema = {
    $schema: "http://json-schema.org/draft-07/schema#",
    properties: { a: { $ref: "#/definitions/number", minimum: 5, description: "Any" } },
    definitions: { number: { type: "number" } },
  };
  expect(inline(schema)).toEqual({
    $schema: "http://json-schema.org/draft-07/schema#",
    properties: { a: { type: "number", description: "Any" } },
  });
});

test("data counts as nodes of the result: a large default is not repeated without end", () => {
  const big = { default: Array.from({ length: 100 }, () => []) };
  const properties = Object.fromEntries(
    Array.from({ length: 200 }, (_, i) => [`p${i}`, { $ref: "#/$defs/big" }]),
  );
  expect(() => inline({ properties, $defs: { big } })).toThrow("too many nodes");
});

const names = ["a", "b", "c"] as const;
const reference = fc.constantFrom(...names).map((name) => ({ $ref: `#/$defs/${name}` }));
const schemas: fc.Arbitrary<JSONSchema> = fc.letrec<{ schema: JSONSchema }>((tie) => ({
  schema: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.constantFrom<JSONSchema>(true, { type: "string" }, { type: "integer", minimum: 0 }, { type: "null" }),
    reference,
    fc
      .tuple(reference, fc.constantFrom("Described", undefined))
      .map(([ref, description]) =>
        description === undefined ? { ...ref, type: "object" as const } : { ...ref, description },
      ),
    fc.record({ type: fc.constant("array" as const), items: tie("schema") }),
    fc.record({ anyOf: fc.array(tie("schema"), { minLength: 1, maxLength: 2 }) }),
    fc
      .dictionary(fc.constantFrom("x", "default", "$ref", "__proto__"), tie("schema"), {
        noNullPrototype: true,
      })
      .map((properties) => ({ type: "object" as const, properties, required: ["x"] })),
  ),
})).schema;
const values = fc
  .jsonValue({ maxDepth: 3 })
  .chain((json) =>
    fc.constantFrom<unknown>(
      json,
      { x: json },
      { x: { x: json }, default: [json] },
      [json, [json]],
      [{ x: json }],
    ),
  );

test("an inlined schema accepts exactly what the schema accepts", () => {
  fc.assert(
    fc.property(schemas, schemas, schemas, schemas, values, (root, a, b, c, value) => {
      const schema: JSONSchema = { allOf: [root], $defs: { a, b, c } };
      let expected: boolean;
      try {
        expected = compile(schema).is(value);
      } catch (error) {
        // A definition that is only a reference to itself has no meaning.
        fc.pre(!isSchemaError(error));
        throw error;
      }
      expect(compile(inline(schema)).is(value)).toBe(expected);
    }),
    { numRuns: samples(2000) },
  );
});
