import { samples } from "@tenon/samples";
import fc from "fast-check";
import { expect, test } from "vitest";

import { compile, type JSONSchema } from "../src/index.ts";

const names = ["id", "a/b", "kind", "toString", "list", "__proto__"] as const;
const name = fc.constantFrom(...names);

const scalar = fc.oneof(
  fc.record(
    {
      type: fc.constant("string"),
      minLength: fc.nat(3),
      maxLength: fc.nat(4),
      pattern: fc.constant("^[a-m]"),
    },
    { requiredKeys: ["type"] },
  ),
  fc.record(
    {
      type: fc.constantFrom("number", "integer"),
      minimum: fc.integer({ min: -2, max: 2 }),
      exclusiveMaximum: fc.integer({ min: 0, max: 3 }),
      multipleOf: fc.constantFrom(0.5, 2),
    },
    { requiredKeys: ["type"] },
  ),
  fc.record({ type: fc.constant("string"), enum: fc.constant(["x", "y"]) }),
  fc.record({ enum: fc.constant([1, "x", null, { deep: [1] }]) }),
  fc.record({ const: fc.constantFrom<unknown>("x", 1, [1]) }),
  fc.record({ type: fc.constant(["string", "null"]) }),
  fc.constant({ type: "string", format: "date" }),
);

const { schema } = fc.letrec<{ schema: JSONSchema; object: JSONSchema }>((tie) => {
  const properties = fc.dictionary(name, tie("schema"), { maxKeys: 4, noNullPrototype: true });
  const object = fc.record(
    {
      type: fc.constant("object"),
      properties,
      required: fc.uniqueArray(name, { maxLength: 3 }),
      additionalProperties: fc.oneof(fc.constant(false), fc.constant(true), tie("schema")),
    },
    { requiredKeys: ["type"] },
  ) as fc.Arbitrary<JSONSchema>;
  const array = fc.record(
    {
      type: fc.constant("array"),
      items: tie("schema"),
      minItems: fc.nat(2),
      maxItems: fc.integer({ min: 1, max: 3 }),
    },
    { requiredKeys: ["type", "items"] },
  ) as fc.Arbitrary<JSONSchema>;
  const tagged = fc
    .tuple(fc.constantFrom("anyOf", "oneOf"), properties, properties)
    .map(([keyword, ...branches]) => ({
      [keyword]: branches.map((own, i) => ({
        type: "object",
        properties: { ...own, kind: { const: `k${i}` } },
        required: ["kind"],
      })),
    })) as fc.Arbitrary<JSONSchema>;
  const other = fc.oneof(
    fc.record({ anyOf: fc.tuple(tie("schema"), fc.constant({ type: "null" })) }),
    fc.record({ allOf: fc.tuple(tie("schema"), tie("schema")) }),
    fc.record({ not: tie("schema") }),
    fc.constant({ $ref: "#/$defs/shared" }),
    fc.constant({ $ref: "#" }),
    fc.boolean(),
  ) as fc.Arbitrary<JSONSchema>;
  return {
    object,
    schema: fc.oneof(
      { depthSize: "small", maxDepth: 4 },
      scalar as fc.Arbitrary<JSONSchema>,
      object,
      array,
      tagged,
      other,
    ),
  };
});

const document = fc.tuple(schema, schema).map(([root, shared]): JSONSchema => ({
  type: "object",
  properties: { root },
  additionalProperties: { $ref: "#/$defs/shared" },
  required: ["root", "id"],
  $defs: { shared: withoutRef(shared) },
}));

function withoutRef(value: JSONSchema): JSONSchema {
  return JSON.parse(JSON.stringify(value), (key, item: unknown) =>
    key === "$ref" ? undefined : item,
  ) as JSONSchema;
}

const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small", maxDepth: 4, withCrossShrink: true },
    fc.constantFrom<unknown>("x", "", "k0", "k1", "long text", 0, 1, 2.5, -7, null, true, undefined, 3n),
    fc.array(tie("value"), { maxLength: 4 }),
    fc.dictionary(name, tie("value"), { maxKeys: 5, noNullPrototype: true }),
    fc
      .tuple(fc.constantFrom("k0", "k1", "k2"), fc.dictionary(name, tie("value"), { maxKeys: 3 }))
      .map(([kind, members]) => ({ ...members, kind })),
  ),
}));

const instances = fc.array(fc.record({ root: value, id: value, more: value }, { requiredKeys: ["root"] }), {
  minLength: 8,
  maxLength: 8,
});

test("generated code reports exactly what the error walker reports, in the same order", () => {
  let reports = 0;
  fc.assert(
    fc.property(document, instances, fc.constantFrom(1, 3, 20), (schema, values, maxErrors) => {
      const options = { formats: "assert", limits: { maxErrors } } as const;
      const walker = compile(schema, { ...options, engine: "closures" });
      const generated = compile(schema, { ...options, engine: "codegen" });
      for (const each of values) {
        const expected = walker.check(each);
        expect(generated.check(each)).toEqual(expected);
        if (!expected.valid) {
          reports += expected.errors.length;
        }
      }
    }),
    { numRuns: samples(1_500) },
  );
  expect(reports).toBeGreaterThan(5_000);
});

test("with the auto engine reports stay the same when generated code takes over", () => {
  const schema = {
    type: "object",
    properties: {
      list: { type: "array", items: { type: "object", properties: { id: { type: "integer" } } } },
    },
    required: ["name"],
    additionalProperties: false,
  } as const;
  const auto = compile(schema);
  const bad = { list: [{ id: 1 }, { id: "2" }], other: true };
  const expected = compile(schema, { engine: "closures" }).check(bad);
  expect(expected.valid).toBe(false);
  for (let i = 0; i < 2_500; i++) {
    expect(auto.check(bad)).toEqual(expected);
  }
  expect(auto.check({ name: 1, list: [] }).valid).toBe(false);
});

test("a value that conforms is valid although many before it did not", () => {
  for (const engine of ["closures", "codegen"] as const) {
    const validator = compile({ type: "object", properties: { n: { minimum: 3 } } }, { engine });
    for (let i = 0; i < 50; i++) {
      expect(validator.check({ n: 1 }).valid).toBe(false);
      if (i % 7 === 0) {
        expect(validator.check({ n: 3 })).toEqual({ valid: true, value: { n: 3 } });
      }
    }
    const value = { n: 5 };
    const result = validator.check(value);
    expect(result.valid && result.value).toBe(value);
  }
});

test("a branch of a tagged union that nothing selects does not stop the others from being explained", () => {
  const branch = (values: string[]): JSONSchema => ({
    type: "object",
    required: ["k"],
    properties: { k: { enum: values } },
  });
  const schema: JSONSchema = { anyOf: [branch([]), branch(["a"])] };
  const walker = compile(schema, { engine: "closures" });
  const generated = compile(schema, { engine: "codegen" });
  for (const value of [3, {}, { k: "b" }, { k: "a" }]) {
    expect(generated.check(value)).toEqual(walker.check(value));
  }
});

test("after a failure check still says what is says, of values that are no JSON and of very large schemas too", () => {
  const union: JSONSchema = { anyOf: [{ minimum: 1 }, { type: "string" }, { type: "null" }] };
  const properties: Record<string, JSONSchema> = {};
  for (let i = 0; i < 9_000; i++) {
    properties[`p${i}`] = { type: "string", minLength: 1, maxLength: 9, pattern: `^[a-z]{1,${i + 9}}$` };
  }
  for (const engine of ["closures", "codegen"] as const) {
    const small = compile(union, { engine });
    expect(small.check(0).valid).toBe(false);
    expect(small.is(undefined)).toBe(true);
    expect(small.check(undefined).valid).toBe(true);
    const large = compile({ type: "object", properties }, { engine });
    const first = large.check({ p1: 1 });
    expect(first.valid ? [] : first.errors.map(({ keyword }) => keyword)).toEqual(["type"]);
    expect(large.check({ p1: "abc" }).valid).toBe(true);
  }
});

test("a test that was kept from before code was generated goes on with that code", () => {
  const validator = compile({ type: "integer", minimum: 0 });
  validator.is(1);
  const { is } = validator;
  for (let i = 0; i < 3_000; i++) {
    expect(is(i)).toBe(true);
  }
  expect(is(-1)).toBe(false);
});

test("an object or array that is wanted is shown, so that it can be sent", () => {
  const messages = (schema: JSONSchema): string[] => {
    const result = compile(schema).check({ b: 2 });
    return result.valid ? [] : result.errors.map(({ message }) => message);
  };
  expect(messages({ const: { a: [1] } })).toEqual(['expected {"a":[1]}, received "object"']);
  expect(messages({ enum: [[1], "x"] })).toEqual(['expected one of [1], "x", received "object"']);
  expect(messages({ const: { a: 1n } })).toEqual(['expected "object", received "object"']);
  expect(messages({ const: ["x".repeat(100)] })).toEqual([
    `expected ["${"x".repeat(62)}…, received "object"`,
  ]);
});
