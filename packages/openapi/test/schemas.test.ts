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

async function toolsOf(document: string) {
  const { session, source, warnings } = await open(document);
  const { tools } = await session.listTools();
  return { source, warnings, tool: (name: string) => tools.find((one) => one.name === name), tools };
}

test.each(["bookshop.yaml", "weather.yaml", "parcels/parcels.json"])(
  "every schema of %s compiles in another validator of 2020-12",
  async (document) => {
    const { tools } = await toolsOf(document);
    expect(tools.length).toBeGreaterThan(1);
    for (const { inputSchema, outputSchema } of tools) {
      expect(() => ajv.compile(inputSchema)).not.toThrow();
      expect(() => ajv.compile(outputSchema ?? {})).not.toThrow();
    }
  },
);

test("what is read-only is not sent, what is write-only not received, and recursion ends", async () => {
  const { tool } = await toolsOf("bookshop.yaml");
  const input = tool("addBook")?.inputSchema;
  expect(input).toMatchObject({
    properties: { body: { $ref: "#/$defs/Book" } },
    required: ["body"],
    additionalProperties: false,
    $defs: {
      Book: { required: ["title", "secret"], properties: { sequels: { items: { $ref: "#/$defs/Book" } } } },
    },
  });
  expect(Object.keys(at(input, "$defs", "Book", "properties") ?? {})).toEqual([
    "title",
    "pages",
    "secret",
    "sequels",
  ]);
  const output = tool("addBook")?.outputSchema;
  expect(Object.keys(at(output, "$defs", "Book", "properties") ?? {})).toEqual([
    "id",
    "title",
    "pages",
    "sequels",
  ]);
  expect(output).toMatchObject({ type: "object", $defs: { Book: { required: ["id", "title"] } } });
});

test("a discriminator decides between alternatives that would both accept a value", async () => {
  const { tool } = await toolsOf("bookshop.yaml");
  const validate = ajv.compile(tool("placeOrder")?.inputSchema ?? {});
  expect(validate({ body: { payment: { kind: "card", number: "1" } } })).toBe(true);
  expect(validate({ body: { payment: { kind: "Invoice", address: "x" } } })).toBe(true);
  expect(validate({ body: { payment: { kind: "cash" } } })).toBe(false);
});

test("nullable values, flags of bounds and other documents of 3.0 become 2020-12", async () => {
  const { tool, source } = await toolsOf("parcels/parcels.json");
  const tracking = source.operations.find(({ method }) => method === "GET");
  const output = tool(tracking?.name ?? "")?.outputSchema;
  const validate = ajv.compile({ ...at(output, "anyOf", "0"), $defs: at(output, "$defs") });
  expect(validate({ code: null, to: null, weight: 0.1, parts: [{ to: { city: "Ulm" } }] })).toBe(true);
  expect(validate({ weight: 0 })).toBe(false);
  expect(validate({ parts: [{ to: {} }] })).toBe(false);
});

test("a document of Swagger 2.0 has the same tools as one of OpenAPI 3", async () => {
  const { tool } = await toolsOf("weather.yaml");
  expect(tool("readings")).toMatchObject({
    inputSchema: {
      required: ["station"],
      properties: {
        station: { type: "string", pattern: "^[A-Z]{3}$" },
        kinds: { type: "array", items: { enum: ["wind", "rain"] } },
        units: { type: ["string", "null"] },
      },
    },
    annotations: { readOnlyHint: true },
  });
  expect(tool("addReading")?.inputSchema).toMatchObject({
    $defs: {
      Reading: { properties: { value: { exclusiveMinimum: 0 }, note: { type: ["string", "null"] } } },
    },
  });
});

test("names are short, plain and unique, and arguments of one name are told apart", async () => {
  const { tools, source } = await toolsOf("parcels/parcels.json");
  expect(tools.map(({ name }) => name).toSorted()).toEqual([
    "get_parcels_code",
    "patch_parcels_code",
    "printLabel",
  ]);
  const [tracking] = tools.filter(({ name }) => name === "get_parcels_code");
  expect(Object.keys(tracking?.inputSchema.properties ?? {})).toEqual([
    "code",
    "fields",
    "code_query",
    "filter",
    "session",
  ]);
  expect(source.operations.every(({ name }) => /^[\w-]{1,64}$/.test(name))).toBe(true);
});

test("keywords that are not valid are left out and reported", async () => {
  const { session, warnings } = await open({
    openapi: "3.1.0",
    info: { title: "Odd", version: "1" },
    paths: {
      "/odd": {
        post: {
          operationId: "a".repeat(80),
          parameters: [
            { name: "pattern", in: "query", schema: { type: "any", pattern: "(?i)x(", minLength: -1 } },
            { name: "lost", in: "query", schema: { $ref: "#/components/schemas/Lost", description: "kept" } },
            { name: "number", in: "query", schema: { type: "string", enum: [1, 2] } },
            { name: "none", in: "query", schema: { type: "string", enum: [null], nullable: true } },
            { name: "loop", in: "query", schema: { $ref: "#/components/schemas/Loop" } },
          ],
          requestBody: {
            content: {
              "application/json": {
                schema: {
                  required: true,
                  properties: { a: { enum: [1, 1], nullable: true }, b: true, c: "x" },
                  items: [{ type: "string" }],
                },
              },
            },
          },
          responses: {},
        },
      },
    },
    components: { schemas: { Loop: { $ref: "#/components/schemas/Loop" } } },
  });
  const [tool] = (await session.listTools()).tools;
  expect(tool?.name).toMatch(/^a{55}_[0-9a-f]{8}$/);
  expect(tool?.inputSchema).toMatchObject({
    properties: {
      pattern: {},
      lost: { description: "kept" },
      number: { enum: [1, 2] },
      none: { type: ["string", "null"], enum: [null] },
      loop: {},
      body: { properties: { a: { enum: [1, null] }, b: true }, prefixItems: [{ type: "string" }] },
    },
  });
  expect(ajv.validateSchema(tool?.inputSchema ?? {})).toBe(true);
  expect(warnings.filter((warning) => warning.includes("no value of its enum"))).toHaveLength(1);
  expect(warnings.join("\n")).toMatch(
    /type "any"[\s\S]*minLength[\s\S]*pattern[\s\S]*Lost[\s\S]*no value of its enum[\s\S]*Loop/,
  );
});

test.each([
  ["3.0.3", undefined],
  ["3.1.0", ["title"]],
])("next to a reference of OpenAPI %s, required is %s", async (openapi, required) => {
  const schema = { $ref: "#/components/schemas/Book", required: ["title"], description: "A new one" };
  const { session } = await open({
    openapi,
    info: { title: "Books", version: "1" },
    paths: {
      "/books": {
        post: {
          operationId: "add",
          requestBody: { content: { "application/json": { schema } } },
          responses: {},
        },
      },
    },
    components: { schemas: { Book: { type: "object", properties: { title: { type: "string" } } } } },
  });
  const { body } = (await session.listTools()).tools[0]?.inputSchema.properties ?? {};
  expect(body).toEqual({
    $ref: "#/$defs/Book",
    description: "A new one",
    ...(required === undefined ? {} : { required }),
  });
});

test("a schema that names itself many times is read once", async () => {
  const again = Array.from({ length: 12 }, () => ({ $ref: "#/components/schemas/A" }));
  const content = {
    "application/json": { schema: { oneOf: again, discriminator: { propertyName: "kind" } } },
  };
  const result = { "application/json": { schema: { $ref: "#/components/schemas/A" } } };
  const { session } = await open({
    openapi: "3.1.0",
    info: { title: "t", version: "1" },
    paths: {
      "/": {
        post: { operationId: "add", requestBody: { content }, responses: { 200: { content: result } } },
      },
    },
    components: { schemas: { A: { allOf: again } } },
  });
  expect((await session.listTools()).tools[0]?.inputSchema).toHaveProperty("$defs.A.allOf.length", 12);
});
