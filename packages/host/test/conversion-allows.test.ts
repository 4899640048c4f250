import { compile, type JSONSchema } from "@tenon/jsonschema";
import { samples } from "@tenon/samples";
import fc from "fast-check";
import { expect, test } from "vitest";

import { objectSchema } from "../src/convert/schema/object-root.ts";
import { geminiSchema, inlineRefs, type Schema } from "../src/index.ts";

// What a converted schema forbids a model never gives, although the server would take it:
// conversions may allow more, and never less.

const scalar = fc.constantFrom<Schema>(
  { type: "string" },
  { type: "string", format: "uri" },
  { type: ["string", "null"] },
  { type: "integer", minimum: 0 },
  { const: "x" },
  { const: 5 },
  { enum: ["x", "y"] },
  { enum: ["x", 5, null] },
  { anyOf: [{ type: "string" }, { type: "null" }] },
  { oneOf: [{ const: "x" }, { type: "integer" }] },
  { allOf: [{ type: "string" }, { enum: ["x", "y"] }] },
  { $ref: "#/$defs/name" },
);

const branch = fc
  .record({
    properties: fc.dictionary(fc.constantFrom("a", "b", "definitions"), scalar, { maxKeys: 3 }),
    required: fc.uniqueArray(fc.constantFrom("a", "b", "definitions"), { maxLength: 2 }),
  })
  .map((parts): Schema => ({ type: "object", ...parts }));

/**
 * An open branch would take anything for what only the others name; a model is told what these say.
 */
const closed = branch.map((schema): Schema => ({ ...schema, additionalProperties: false }));

const unions = fc.oneof(
  fc.record({ oneOf: fc.array(closed, { minLength: 1, maxLength: 3 }) }),
  fc.record({ anyOf: fc.array(closed, { minLength: 1, maxLength: 3 }) }),
  fc.record({ allOf: fc.array(branch, { minLength: 1, maxLength: 2 }) }),
  fc.constant({}),
);

const root = fc
  .tuple(branch, unions)
  .map(([own, union]): Schema => ({ ...own, ...union, $defs: { name: { type: "string", maxLength: 1 } } }));

const instance = fc.dictionary(
  fc.constantFrom("a", "b", "definitions"),
  fc.constantFrom<unknown>("x", "y", "long", 5, -5, null, "https://x.test"),
  { maxKeys: 3 },
);

/** Gemini's words in those of JSON Schema. */
function understood(schema: unknown): JSONSchema {
  const { type, nullable, properties, items, anyOf, ...rest } = schema as Record<string, unknown>;
  const plain = {
    ...rest,
    ...(typeof type === "string" ? { type: type.toLowerCase() } : {}),
    ...(properties === undefined
      ? {}
      : {
          properties: Object.fromEntries(
            Object.entries(properties as object).map(([name, member]) => [name, understood(member)]),
          ),
        }),
    ...(items === undefined ? {} : { items: understood(items) }),
    ...(anyOf === undefined ? {} : { anyOf: (anyOf as unknown[]).map(understood) }),
  };
  return (nullable === true ? { anyOf: [plain, { type: "null" }] } : plain) as JSONSchema;
}

test.each<[string, (schema: Schema) => unknown]>([
  ["references put in place", inlineRefs],
  ["an object at the root", objectSchema],
  ["Gemini's subset", (schema) => understood(geminiSchema(objectSchema(schema)))],
])("with %s everything is still allowed that the server takes", (_, convert) => {
  let accepted = 0;
  fc.assert(
    fc.property(root, fc.array(instance, { minLength: 1, maxLength: 12 }), (schema, instances) => {
      const before = compile(schema as JSONSchema);
      const after = compile(convert(schema) as JSONSchema);
      for (const value of instances) {
        if (before.is(value)) {
          accepted++;
          expect({ value, allowed: after.is(value) }).toEqual({ value, allowed: true });
        }
      }
    }),
    { numRuns: samples(500) },
  );
  expect(accepted).toBeGreaterThan(100);
});
