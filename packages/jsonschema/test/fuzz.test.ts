import { Validator as CfValidator, type Schema } from "@cfworker/json-schema";
import { Ajv2020 } from "ajv/dist/2020.js";
import * as fc from "fast-check";
import { expect, test } from "vitest";

import { compile, type JSONSchema } from "../src/index.ts";

/** Small vocabularies, so that schemas and instances meet. */
const names = ["a", "b", "c", "toString"];
const scalar = fc.oneof(
  fc.constantFrom("", "a", "b", "ab", "😀"),
  fc.integer({ min: -2, max: 4 }),
  fc.constantFrom(0.5, 1.5, 1e300),
  fc.boolean(),
  fc.constant(null),
);

const instance: fc.Arbitrary<unknown> = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: "small", maxDepth: 3 },
    scalar,
    fc.array(tie("value"), { maxLength: 4 }),
    fc.dictionary(fc.constantFrom(...names), tie("value"), { maxKeys: 3, noNullPrototype: true }),
  ),
})).value;

const count = fc.integer({ min: 0, max: 3 });
const typeName = fc.constantFrom("null", "boolean", "number", "integer", "string", "array", "object");

const schema: fc.Arbitrary<JSONSchema> = fc.letrec<{ schema: JSONSchema; object: JSONSchema }>((tie) => {
  const sub = tie("schema");
  const list = fc.array(sub, { minLength: 1, maxLength: 3 });
  const map = fc.dictionary(fc.constantFrom(...names), sub, { maxKeys: 3 });
  const keyword: fc.Arbitrary<Record<string, unknown>> = fc.oneof(
    fc.record({ type: fc.oneof(typeName, fc.uniqueArray(typeName, { minLength: 1, maxLength: 3 })) }),
    fc.record({ const: instance }),
    fc.record({ enum: fc.array(fc.oneof(scalar, instance), { minLength: 1, maxLength: 4 }) }),
    fc.record({ minimum: fc.integer({ min: -1, max: 3 }) }),
    fc.record({ exclusiveMaximum: fc.integer({ min: 0, max: 4 }) }),
    fc.record({ multipleOf: fc.constantFrom(1, 2, 0.5) }),
    fc.record({ minLength: count }),
    fc.record({ maxLength: count }),
    fc.record({ pattern: fc.constantFrom("^a", "b$", "^.$") }),
    fc.record({ items: sub }),
    fc.record({ prefixItems: list }),
    fc.record({ contains: sub, minContains: count, maxContains: count }),
    fc.record({ contains: sub }),
    fc.record({ minItems: count }),
    fc.record({ maxItems: count }),
    fc.record({ uniqueItems: fc.boolean() }),
    fc.record({ properties: map, required: fc.uniqueArray(fc.constantFrom(...names), { maxLength: 2 }) }),
    fc.record({ properties: map, additionalProperties: fc.oneof(fc.boolean(), sub) }),
    fc.record({ patternProperties: fc.dictionary(fc.constantFrom("^a", "[bc]"), sub, { maxKeys: 2 }) }),
    fc.record({ propertyNames: sub }),
    fc.record({ minProperties: count }),
    fc.record({ maxProperties: count }),
    fc.record({
      dependentRequired: fc.dictionary(
        fc.constantFrom(...names),
        fc.uniqueArray(fc.constantFrom(...names), { maxLength: 2 }),
        { maxKeys: 1 },
      ),
    }),
    fc.record({ dependentSchemas: map }),
    fc.record({ allOf: list }),
    fc.record({ anyOf: list }),
    fc.record({ oneOf: list }),
    fc.record({ not: sub }),
    fc.record({ if: sub, then: sub, else: sub }),
    fc.record({ if: sub, then: sub }),
    fc.record({ unevaluatedProperties: fc.oneof(fc.constant(false), sub) }),
    fc.record({ unevaluatedItems: fc.oneof(fc.constant(false), sub) }),
    fc.record({ $ref: fc.constantFrom("#/$defs/x", "#/$defs/y") }),
  );
  const object = fc
    .array(keyword, { minLength: 1, maxLength: 3 })
    .map((parts) => Object.assign({}, ...parts) as JSONSchema);
  return {
    schema: fc.oneof({ depthSize: "small", maxDepth: 4 }, fc.boolean(), object, object),
    object,
  };
}).schema;

/** Two definitions; recursion only through children, so that it ends. */
const document: fc.Arbitrary<JSONSchema> = fc
  .record({ root: schema, x: schema, y: schema })
  .map(({ root, x, y }) => {
    const inner = { properties: { a: { $ref: "#/$defs/x" } }, items: { $ref: "#/$defs/y" } };
    const base = typeof root === "boolean" ? { allOf: [root] } : root;
    return { ...base, $defs: { x: withoutRef(x), y: { allOf: [withoutRef(y), inner] } } };
  });

function withoutRef(value: JSONSchema): JSONSchema {
  return JSON.parse(JSON.stringify(value), (key, item: unknown) =>
    key === "$ref" ? undefined : item,
  ) as JSONSchema;
}

const pairs = fc.tuple(document, fc.array(instance, { minLength: 10, maxLength: 10 }));

test(
  "closures, generated code, the error walker and the full output agree on 100 000 pairs",
  { timeout: 240_000 },
  () => {
    let valid = 0;
    fc.assert(
      fc.property(pairs, ([schema, instances]) => {
        const closures = compile(schema, { engine: "closures" });
        const codegen = compile(schema, { engine: "codegen" });
        for (const value of instances) {
          const expected = closures.is(value);
          const errors = closures.check(value);
          if (expected) valid++;
          expect([
            codegen.is(value),
            errors.valid || errors.errors.length === 0,
            closures.output(value, "basic").valid,
          ]).toEqual([expected, expected, expected]);
          expect(codegen.check(value)).toEqual(errors);
        }
      }),
      { numRuns: 10_000, endOnFailure: true },
    );
    // Both answers must be common, or the agreement would mean little.
    expect(valid).toBeGreaterThan(20_000);
    expect(valid).toBeLessThan(80_000);
  },
);

test("a sample agrees with ajv and cfworker where those are known to be right", { timeout: 120_000 }, () => {
  const disagreements: unknown[] = [];
  let compared = 0;
  fc.assert(
    fc.property(pairs, (pair) => {
      // Both read inherited members as present, and differ from the specification on unevaluated keywords.
      const text = JSON.stringify(pair).replaceAll("toString", "d");
      if (text.includes("unevaluated")) return;
      const [schema, instances] = JSON.parse(text) as typeof pair;
      const ajv = new Ajv2020({ strict: false, validateSchema: false, logger: false });
      const peers = [
        (value: unknown) => new CfValidator(schema as Schema, "2020-12").validate(value).valid,
        ajv.compile(schema as object),
      ];
      const own = compile(schema);
      for (const value of instances) {
        const answers = peers.map((peer) => opinion(peer, value));
        // Where the two differ from each other, at least one of them is wrong.
        if (answers[0] === undefined || answers[0] !== answers[1]) continue;
        compared++;
        if (answers[0] !== own.is(value)) disagreements.push([schema, value, answers[0]]);
      }
    }),
    { numRuns: 1_000 },
  );
  expect(disagreements).toEqual([]);
  expect(compared).toBeGreaterThan(1_000);
});

/** What a peer says; `undefined` where its own generated code fails, as ajv's does on some schemas with `if: false`. */
function opinion(peer: (value: unknown) => boolean, value: unknown): boolean | undefined {
  try {
    return peer(value);
  } catch {
    return undefined;
  }
}
