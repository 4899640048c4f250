import { samples } from "@tenon/samples";
import { Ajv2020 } from "ajv/dist/2020.js";
import fc from "fast-check";
import { expect, test } from "vitest";

import { open } from "./api.ts";

const ajv = new Ajv2020({ strict: false, validateFormats: false });
const names = ["A", "B", "C", "D", "E", "F"];
const refer = (name: string): object => ({ $ref: `#/components/schemas/${name}` });

/** Schemas with every rule that is converted, which refer to each other. */
const { schema } = fc.letrec<{ schema: object; part: object }>((tie) => {
  const part = tie("part");
  const few = fc.array(part, { minLength: 1, maxLength: 3 });
  const properties = fc.dictionary(fc.constantFrom("a", "b"), part, { maxKeys: 2 });
  const plain = [
    fc.constantFrom<object>({ type: "integer" }, { type: "string" }, { type: "object" }, { maximum: 1 }),
    fc.constantFrom<object>({ const: 1 }, { enum: [1, "x", null] }, { type: "array" }),
    fc.record({ properties, required: fc.subarray(["a", "b"]) }),
    fc.record({ type: fc.constant("object"), properties, additionalProperties: part }),
    fc.record({ type: fc.constant("array"), items: part }),
    fc.record({ anyOf: few, nullable: fc.boolean() }),
    fc.record({ patternProperties: fc.record({ "^a": part }) }),
    fc.record({ items: part, prefixItems: few }),
  ];
  const strict = [
    fc.record({ not: part }),
    fc.record({ oneOf: few, anyOf: few, allOf: few }, { requiredKeys: ["oneOf"] }),
    fc.record({ if: part, then: part, else: part }, { requiredKeys: ["if"] }),
    fc.record({ contains: part, maxContains: fc.constant(1) }),
    fc.record({ dependentSchemas: fc.record({ a: part }) }),
    fc.record({ propertyNames: part, properties }),
    fc.record({ allOf: few, unevaluatedProperties: fc.constant(false) }),
    fc.record({ allOf: few, unevaluatedItems: fc.constant(false) }),
  ];
  const reference = fc.constantFrom(...names).map(refer);
  const length = fc.constantFrom(0, 0, 50, 300);
  return {
    part: fc.oneof({ depthSize: "small" }, reference, reference, ...plain, ...strict),
    schema: fc
      .tuple(fc.oneof(...plain), fc.oneof(...plain, ...strict), length)
      .map(([one, other, count]) => ({
        ...one,
        ...other,
        ...(count > 0 && { description: "d".repeat(count) }),
      })),
  };
});

const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.constantFrom(0, 1, 2, "", "x", null, true),
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom("a", "b", "cc"), tie("value"), { maxKeys: 3 }),
  ),
}));

const cases = fc.record({
  schemas: fc.tuple(...names.map(() => schema)),
  bodies: fc.array(schema, { minLength: 3, maxLength: 3 }),
  values: fc.array(value, { minLength: 60, maxLength: 60 }),
  maxSchemaBytes: fc.integer({ min: 512, max: 2000 }),
});

/** The schemas of operations with these bodies. */
async function schemasOf(bodies: readonly object[], schemas: readonly object[], maxSchemaBytes: number) {
  const content = (body: object): object => ({ "application/json": { schema: body } });
  const { session } = await open(
    {
      openapi: "3.1.0",
      info: { title: "Any", version: "1" },
      paths: Object.fromEntries(
        bodies.map((body, index) => [
          `/${index}`,
          {
            post: {
              operationId: `tool${index}`,
              requestBody: { required: true, content: content(body) },
              responses: { 200: { description: "", content: content(body) } },
            },
          },
        ]),
      ),
      components: { schemas: Object.fromEntries(names.map((name, index) => [name, schemas[index]])) },
    },
    { limits: { maxSchemaBytes }, strictness: "strict" },
  );
  return (await session.listTools()).tools;
}

/** Returns whether a schema accepts a value; `undefined` for schemas that recur without an end. */
function validatorOf(schema: object | undefined): (value: unknown) => boolean | undefined {
  const validate = ajv.compile(schema ?? {});
  return (one) => {
    try {
      return validate(one);
    } catch {
      return undefined;
    }
  };
}

test("a reduced schema accepts every value that the whole schema accepts", async () => {
  await fc.assert(
    fc.asyncProperty(cases, async ({ schemas, bodies, values, maxSchemaBytes }) => {
      const whole = await schemasOf(bodies, schemas, 1_000_000);
      const small = await schemasOf(bodies, schemas, maxSchemaBytes);
      for (const [index, tool] of whole.entries()) {
        const other = small[index];
        expect(JSON.stringify(other?.inputSchema).length).toBeLessThanOrEqual(maxSchemaBytes);
        for (const [one, two] of [
          [tool.inputSchema, other?.inputSchema],
          [tool.outputSchema, other?.outputSchema],
        ]) {
          if (JSON.stringify(one) === JSON.stringify(two)) {
            continue;
          }
          const [before, after] = [validatorOf(one), validatorOf(two)];
          for (const each of values) {
            const sent = one === tool.inputSchema ? { body: each } : each;
            if (before(sent) === true) {
              expect([after(sent) ?? true, sent, one, two]).toEqual([true, sent, one, two]);
            }
          }
        }
      }
    }),
    { numRuns: samples(100) },
  );
});
