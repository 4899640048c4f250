import { createGenerator, seededRandom } from "@tenon/jsonschema/generate";
import { Ajv2020 } from "ajv/dist/2020.js";
import { expect, test } from "vitest";

import { open } from "./api.ts";

const ajv = new Ajv2020({ strict: false, validateFormats: false });

/** An object inside of a schema. */
function at(value: unknown, ...path: readonly string[]): object | undefined {
  return path.reduce<unknown>((one, key) => (one as Record<string, unknown> | undefined)?.[key], value) as
    | object
    | undefined;
}

test("a schema that is too large keeps what is nearest to its root", async () => {
  const names = Array.from({ length: 400 }, (_, index) => `S${index}`);
  const { session } = await open(
    {
      openapi: "3.0.0",
      info: { title: "Deep", version: "1" },
      paths: {
        "/deep": {
          get: {
            operationId: "deep",
            responses: {
              200: {
                description: "",
                content: { "application/json": { schema: { $ref: "#/components/schemas/S0" } } },
              },
            },
          },
        },
      },
      components: {
        schemas: Object.fromEntries(
          names.map((name, index) => [
            name,
            {
              type: "object",
              description: "x".repeat(100),
              properties: { next: { $ref: `#/components/schemas/S${(index + 1) % 400}` } },
            },
          ]),
        ),
      },
    },
    { limits: { maxSchemaBytes: 4096 } },
  );
  const [tool] = (await session.listTools()).tools;
  const definitions = tool?.outputSchema?.["$defs"] as Record<string, object>;
  expect(JSON.stringify(tool?.outputSchema).length).toBeLessThan(4700);
  expect(definitions["S0"]).toHaveProperty("properties");
  expect(Object.values(definitions).at(-1)).toEqual({ type: "object" });
  expect(() => ajv.compile(tool?.outputSchema ?? {})).not.toThrow();
});

/** A form of many optional objects with alternatives, as APIs for payments have. */
const manyLevels = (levels: number): object => ({
  type: "object",
  description: "d".repeat(300),
  required: ["amount"],
  additionalProperties: false,
  properties: {
    amount: { type: "integer", minimum: 1 },
    currency: { oneOf: [{ type: "string" }, { enum: ["eur", "usd"] }] },
    ...(levels === 0
      ? {}
      : Object.fromEntries(
          ["a", "b", "c", "d"].map((name) => [
            name,
            { oneOf: [manyLevels(levels - 1), { type: "array", items: manyLevels(levels - 1) }] },
          ]),
        )),
  },
});

test("a body that is too large keeps its first levels, and accepts all that it accepted before", async () => {
  const body = manyLevels(2);
  const { session } = await open(
    {
      openapi: "3.1.0",
      info: { title: "Payments", version: "1" },
      paths: {
        "/pay": {
          post: {
            operationId: "pay",
            requestBody: { required: true, content: { "application/json": { schema: body } } },
            responses: {},
          },
        },
      },
    },
    { limits: { maxSchemaBytes: 16_384 } },
  );
  const { tools } = await session.listTools();
  const kept = at(tools[0], "inputSchema", "properties", "body") as Record<string, unknown> | undefined;
  expect(JSON.stringify(kept).length).toBeLessThan(8192);
  expect(kept?.["required"]).toEqual(["amount"]);
  expect(kept?.["properties"]).toMatchObject({ amount: { type: "integer", minimum: 1 } });
  expect(kept?.["description"]).toMatch(/^d+… Too large for a whole schema/);
  const [before, after] = [ajv.compile(body), ajv.compile(kept ?? {})];
  const values = createGenerator(body, { random: seededRandom(7), maxDepth: 6 });
  for (let count = 0; count < 300; count++) {
    const [value] = values.valid();
    expect([before(value), after(value)], JSON.stringify(value)).toEqual([true, true]);
  }
  expect(after({ amount: 0 })).toBe(false);
});

test("a body that is cut has no rule that refuses a value because other parts are left out", async () => {
  const large = { type: "object", properties: { text: { type: "string", description: "d".repeat(900) } } };
  const refer = (name: string): object => ({ $ref: `#/components/schemas/${name}` });
  const body = {
    type: "object",
    description: "x".repeat(3000),
    properties: {
      kind: { oneOf: [{ const: "a" }, { const: "b" }], anyOf: [{ type: "string" }, { type: "null" }] },
      other: { not: refer("Large") },
      closed: { ...refer("Large"), unevaluatedProperties: false },
      list: { type: "array", prefixItems: [{ oneOf: [refer("Large"), refer("Small")] }] },
      more: { type: "array", items: [large, large, large, large] },
    },
  };
  const { session } = await open(
    {
      openapi: "3.1.0",
      info: { title: "Cut", version: "1" },
      paths: {
        "/cut": {
          post: {
            operationId: "cut",
            requestBody: { content: { "application/json": { schema: body } } },
            responses: {},
          },
        },
      },
      components: {
        schemas: {
          Large: large,
          Small: { type: "object", required: ["n"], properties: { n: { const: 1 } } },
        },
      },
    },
    { limits: { maxSchemaBytes: 2400 } },
  );
  const [tool] = (await session.listTools()).tools;
  const accepts = ajv.compile(tool?.inputSchema ?? {});
  const value = { kind: "a", other: "text", closed: { text: "t" }, list: [{ n: 1 }], more: [{}, {}] };
  expect([accepts({ body: value }), accepts.errors]).toEqual([true, null]);
  expect(accepts({ body: { ...value, other: { n: 1 } } })).toBe(true);
  expect(Object.keys(at(tool, "inputSchema", "properties", "body", "properties") ?? {})).toEqual(
    Object.keys(body.properties),
  );
  expect(accepts({ body: { ...value, kind: "c" } })).toBe(false);
});

const refer = (name: string): { $ref: string } => ({ $ref: `#/components/schemas/${name}` });

/** The input schema of an operation with this body, in at most `maxSchemaBytes`. */
async function inputOf(body: object, schemas: object, maxSchemaBytes: number) {
  const { session } = await open(
    {
      openapi: "3.1.0",
      info: { title: "Large", version: "1" },
      paths: {
        "/large": {
          post: {
            operationId: "large",
            parameters: [{ name: "code", in: "query", schema: { not: refer("Small") } }],
            requestBody: { content: { "application/json": { schema: body } } },
            responses: {},
          },
        },
      },
      components: { schemas },
    },
    { limits: { maxSchemaBytes } },
  );
  const { inputSchema } = (await session.listTools()).tools[0] ?? {};
  expect(JSON.stringify(inputSchema).length).toBeLessThanOrEqual(maxSchemaBytes);
  const validate = ajv.compile(inputSchema ?? {});
  return { inputSchema, accepts: (value: unknown): boolean => validate(value) };
}

/** `Large` is left out of a schema of this size, and `Small` stays. */
const leavesOutLarge = 1000;
const schemas = {
  Large: {
    type: "object",
    required: ["n"],
    properties: { n: { const: 1 }, text: { type: "string", description: "d".repeat(900) } },
  },
  Link: { allOf: [refer("Large")] },
  Small: { type: "object", required: ["n"], properties: { n: { const: 2 } } },
};

test.each<[rule: string, schema: object, value: unknown]>([
  ["not", { not: refer("Large") }, { n: 2 }],
  ["not of a definition", refer("Not"), { n: 2 }],
  ["not, through another definition", { not: refer("Link") }, { n: 2 }],
  ["oneOf", { oneOf: [refer("Large"), refer("Small")] }, { n: 2 }],
  ["oneOf next to anyOf", { oneOf: [refer("Link"), refer("Small")], anyOf: [{ type: "object" }] }, { n: 2 }],
  ["if", { if: refer("Large"), then: { required: ["text"] } }, { n: 2 }],
  ["maxContains", { contains: refer("Large"), maxContains: 1 }, [{ n: 1 }, { n: 2 }]],
  ["unevaluatedProperties", { allOf: [refer("Link")], unevaluatedProperties: false }, { n: 1, text: "" }],
  ["dependentSchemas", { dependentSchemas: { n: { not: refer("Large") } } }, { n: 2 }],
])("a left-out definition below %s refuses no valid value", async (_, rule, value) => {
  const all = { ...schemas, Not: { not: refer("Link") } };
  const body = {
    type: "object",
    properties: { part: rule, other: { oneOf: [{ const: 1 }, { minimum: 1 }] } },
  };
  const { inputSchema, accepts } = await inputOf(body, all, leavesOutLarge);
  const whole = ajv.compile({ ...body, components: { schemas: all } });
  expect([whole({ part: value }), accepts({ body: { part: value } })]).toEqual([true, true]);
  expect(at(inputSchema, "$defs", "Large")).toEqual({ type: "object" });
  // A part that does not refer to the definition keeps its rules.
  expect(accepts({ code: { n: 2 } })).toBe(false);
  expect(accepts({ body: { other: 1 } })).toBe(false);
});

test("definitions that are left out do not exceed the limit by their names", async () => {
  const names = Array.from({ length: 60 }, (_, index) => `Definition${index}`);
  const { inputSchema } = await inputOf(
    refer("All"),
    {
      All: {
        type: "object",
        properties: Object.fromEntries(names.map((name) => [name, refer(name)])),
      },
      Small: {},
      ...Object.fromEntries(names.map((name) => [name, { type: "object", description: "d".repeat(500) }])),
    },
    8192,
  );
  expect(at(inputSchema, "$defs", "All")).toHaveProperty("properties");
  expect(at(inputSchema, "$defs", "Definition59")).toEqual({ type: "object" });
});

test("a body that is cut has at most half of the size, with the note about it", async () => {
  const sizes: number[] = [];
  for (let length = 0; length < 100; length++) {
    const { inputSchema } = await inputOf(
      {
        type: "object",
        properties: {
          text: { type: "string", pattern: "p".repeat(length) },
          more: { type: "array", items: { enum: ["x".repeat(400)] } },
        },
      },
      { Small: {} },
      512,
    );
    sizes.push(JSON.stringify(at(inputSchema, "properties", "body")).length);
  }
  expect(Math.max(...sizes)).toBe(256);
});

test("many arguments that are small, and too large together, are cut to the limit", async () => {
  const schema = { type: "object", properties: { text: { type: "string", description: "d".repeat(600) } } };
  const { session } = await open(
    {
      openapi: "3.1.0",
      info: { title: "Many", version: "1" },
      paths: {
        "/many": {
          get: {
            operationId: "many",
            parameters: Array.from({ length: 10 }, (_, index) => ({
              name: `p${index}`,
              in: "query",
              schema,
            })),
            responses: {},
          },
        },
      },
    },
    { limits: { maxSchemaBytes: 4096 } },
  );
  const { inputSchema } = (await session.listTools()).tools[0] ?? {};
  expect(JSON.stringify(inputSchema).length).toBeLessThanOrEqual(4096);
  expect(at(inputSchema, "properties", "p9")).toMatchObject({ properties: { text: { type: "string" } } });
});

test("arguments whose definitions exceed the limit, even without their parts, are cut to it", async () => {
  const names = Array.from({ length: 360 }, (_, index) => `Definition${index}`);
  const { session } = await open(
    {
      openapi: "3.1.0",
      info: { title: "Many", version: "1" },
      paths: {
        "/many": {
          get: {
            operationId: "many",
            parameters: Array.from({ length: 4 }, (_, index) => ({
              name: `p${index}`,
              in: "query",
              schema: {
                type: "object",
                properties: Object.fromEntries(
                  names
                    .slice(index * 90, index * 90 + 90)
                    .map((name) => [name, { $ref: `#/components/schemas/${name}` }]),
                ),
              },
            })),
            responses: {},
          },
        },
      },
      components: {
        schemas: Object.fromEntries(names.map((name) => [name, { type: ["object", "null"], title: name }])),
      },
    },
    { limits: { maxSchemaBytes: 20_000 } },
  );
  const { inputSchema } = (await session.listTools()).tools[0] ?? {};
  expect(JSON.stringify(inputSchema).length).toBeLessThanOrEqual(20_000);
  expect(at(inputSchema, "properties", "p3")).toMatchObject({ type: "object" });
  expect(() => ajv.compile(inputSchema ?? {})).not.toThrow();
});
