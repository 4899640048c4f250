import * as fc from "fast-check";

import type { JSONSchema } from "../../src/index.ts";

/**
 * Small vocabularies, so that schemas and instances meet. The odd names are those that a table, a
 * pointer or generated code could trip over.
 */
const odd = ["", "toString", "__proto__", "0", "a/b~", "'\u2028"];
/** Names of members. */
export const names = ["a", "b", "c", ...odd];
const scalar = fc.oneof(
  fc.constantFrom("", "a", "b", "ab", "😀"),
  fc.integer({ min: -2, max: 4 }),
  fc.constantFrom(0.5, 1.5, 1e300),
  fc.boolean(),
  fc.constant(null),
);

/** A JSON value. */
export const instance: fc.Arbitrary<unknown> = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: "small", maxDepth: 3 },
    scalar,
    fc.array(tie("value"), { maxLength: 4 }),
    fc.dictionary(fc.constantFrom(...names), tie("value"), { maxKeys: 4, noNullPrototype: true }),
  ),
})).value;

const count = fc.integer({ min: 0, max: 3 });
const typeName = fc.constantFrom("null", "boolean", "number", "integer", "string", "array", "object");

/** A schema that may refer to `#/$defs/x` and `#/$defs/y`. */
export const schema: fc.Arbitrary<JSONSchema> = fc.letrec<{ schema: JSONSchema; object: JSONSchema }>(
  (tie) => {
    const sub = tie("schema");
    const list = fc.array(sub, { minLength: 1, maxLength: 3 });
    const map = fc.dictionary(fc.constantFrom(...names), sub, { maxKeys: 5 });
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
  },
).schema;

/** Two definitions; recursion only through children, so that it ends. */
const document: fc.Arbitrary<JSONSchema> = fc
  .record({ root: schema, x: schema, y: schema })
  .map(({ root, x, y }) => {
    const inner = { properties: { a: { $ref: "#/$defs/x" } }, items: { $ref: "#/$defs/y" } };
    const base = typeof root === "boolean" ? { allOf: [root] } : root;
    return { ...base, $defs: { x: withoutRef(x), y: { allOf: [withoutRef(y), inner] } } };
  });

/** The schema without references. */
export function withoutRef(value: JSONSchema): JSONSchema {
  return JSON.parse(JSON.stringify(value), (key, item: unknown) =>
    key === "$ref" ? undefined : item,
  ) as JSONSchema;
}

/** A schema with ten instances. */
export const pairs: fc.Arbitrary<[JSONSchema, unknown[]]> = fc.tuple(
  document,
  fc.array(instance, { minLength: 10, maxLength: 10 }),
);
