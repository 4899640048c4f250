import { Model, number, schema, string, type JSONSchemaObject } from "@tenon/jsonschema";
import { Client, defineTool, defineTools, isMcpError, isToolError, Server, ToolError } from "@tenon/mcp";
import type { ClientSession, DefinedTool } from "@tenon/mcp";
import type { Revision } from "@tenon/protocol";
import { modernRevision } from "@tenon/test-support";
import { createInMemoryTransports } from "@tenon/transports-memory";
import { toStandardJsonSchema } from "@valibot/to-json-schema";
import { type } from "arktype";
import * as v from "valibot";
import { expect, expectTypeOf, test } from "vitest";
import { z } from "zod";

const revisions = ["2024-11-05", "2025-11-25", "2026-07-28"] as const;

async function connect(revision: Revision, setUp: (server: Server) => void): Promise<ClientSession> {
  const server = new Server({ name: "server", version: "1.0.0" });
  setUp(server);
  const [here, there] = createInMemoryTransports();
  await server.connect(there);
  return new Client({ name: "client", version: "1.0.0" }, { revisions: [revision] }).connect(here);
}

class Circle {
  @number("Radius in metres", { exclusiveMinimum: 0 }) radius!: number;
  area(): number {
    return Math.PI * this.radius ** 2;
  }
}

@schema({ additionalProperties: false })
class Area {
  @number("Square metres") value!: number;
  @string("Unit") unit = "m²";
  describe(): string {
    return `${this.value.toFixed(2)} ${this.unit}`;
  }
}

class CircleModel extends Model({ radius: { type: "number", exclusiveMinimum: 0 } }) {
  area(): number {
    return Math.PI * this.radius ** 2;
  }
}

const literal = {
  type: "object",
  properties: { radius: { type: "number", exclusiveMinimum: 0 } },
  required: ["radius"],
} as const;
const area = { type: "object", properties: { value: { type: "number" } }, required: ["value"] } as const;

const byClass = defineTool(
  { name: "class", description: "The area of a circle", input: Circle, output: Area },
  (circle) => {
    expectTypeOf(circle).toEqualTypeOf<Circle>();
    const result = new Area();
    result.value = circle.area();
    return result;
  },
);
const byModel = defineTool({ name: "model", input: CircleModel, output: area }, (circle) => {
  expect(circle).toBeInstanceOf(CircleModel);
  return { value: circle.area() };
});
const byLiteral = defineTool({ name: "literal", input: literal, output: area }, ({ radius }) => {
  expectTypeOf(radius).toEqualTypeOf<number>();
  return { value: Math.PI * radius ** 2 };
});
const byZod = defineTool(
  {
    name: "zod",
    input: z.object({ radius: z.number().positive() }),
    output: z.object({ value: z.number() }),
  },
  ({ radius }) => {
    expectTypeOf(radius).toEqualTypeOf<number>();
    return { value: Math.PI * radius ** 2 };
  },
);
const byValibot = defineTool(
  {
    name: "valibot",
    input: toStandardJsonSchema(v.object({ radius: v.pipe(v.number(), v.gtValue(0)) })),
    output: toStandardJsonSchema(v.object({ value: v.number() })),
  },
  ({ radius }) => {
    expectTypeOf(radius).toEqualTypeOf<number>();
    return { value: Math.PI * radius ** 2 };
  },
);
const byArkType = defineTool(
  { name: "arktype", input: type({ radius: "number > 0" }), output: type({ value: "number" }) },
  ({ radius }) => {
    expectTypeOf(radius).toEqualTypeOf<number>();
    return { value: Math.PI * radius ** 2 };
  },
);
const greet = defineTool({ name: "greet" }, () => "hello");
const tools = defineTools(byClass, byModel, byLiteral, byZod, byValibot, byArkType, greet);

function addAll(server: Server): void {
  for (const tool of tools) {
    server.addTool(tool);
  }
}

test.each(revisions)(
  "arguments and output may be written in four ways, and are typed and checked alike, in %s (S-125, S-127, S-135, S-137)",
  async (revision) => {
    await using session = await connect(revision, addAll);
    const results = [
      await session.callTool(byClass, { radius: 1 }),
      await session.callTool(byModel, { radius: 1 }),
      await session.callTool(byLiteral, { radius: 1 }),
      await session.callTool(byZod, { radius: 1 }),
      await session.callTool(byValibot, { radius: 1 }),
      await session.callTool(byArkType, { radius: 1 }),
    ];
    expect(results.map(({ value }) => value)).toEqual(results.map(() => Math.PI));
    for (const tool of [byClass, byModel, byLiteral, byZod, byValibot, byArkType] as readonly DefinedTool[]) {
      const failed =
        revision === "2024-11-05"
          ? (error: unknown) => !isToolError(error)
          : (error: unknown) => isToolError(error);
      await expect(
        session.callTool({ name: tool.name, input: undefined }, { radius: -1 } as never),
        tool.name,
      ).rejects.toSatisfy(failed);
    }
  },
);

test("the schema that follows from a class or a library is what clients see (S-127, S-132, S-142)", async () => {
  await using session = await connect(modernRevision, addAll);
  const { tools: listed } = await session.listTools();
  const input = (name: string): unknown => listed.find((tool) => tool.name === name)?.inputSchema;
  const radius = { type: "number", exclusiveMinimum: 0 };
  expect(input("class")).toMatchObject({
    type: "object",
    properties: { radius: { ...radius, description: "Radius in metres" } },
    required: ["radius"],
  });
  for (const name of ["model", "literal", "zod", "valibot", "arktype"]) {
    expect(input(name), name).toMatchObject({ type: "object", properties: { radius }, required: ["radius"] });
  }
});

test("a typed call gives an instance where the output is a class (S-072, S-144)", async () => {
  await using session = await connect(modernRevision, addAll);
  const result = await session.callTool(byClass, { radius: 2 });
  expectTypeOf(result).toEqualTypeOf<Area>();
  expect(result).toBeInstanceOf(Area);
  expect(result.describe()).toBe("12.57 m²");
  const instance = new Circle();
  instance.radius = 2;
  expect((await session.callTool(byClass, instance)).value).toBeCloseTo(12.566);
  // @ts-expect-error: the radius is a number.
  await expect(session.callTool(byClass, { radius: "2" })).rejects.toThrow(/radius/);
});

test("a tool without output gives its whole result, typed call or not", async () => {
  await using session = await connect(modernRevision, addAll);
  expect(await session.callTool(greet, {})).toMatchObject({ content: [{ type: "text", text: "hello" }] });
  expect(await session.callTool({ name: "greet" })).toMatchObject({
    content: [{ type: "text", text: "hello" }],
  });
});

test.each(revisions)(
  "a client is typed by the tools of a server, with and without their values, in %s",
  async (revision) => {
    await using session = await connect(revision, addAll);
    const known = session.typed(tools);
    const area1 = await known.callTool("class", { radius: 1 });
    expectTypeOf(area1).toEqualTypeOf<Area>();
    expect(area1).toBeInstanceOf(Area);
    const typed = session.typed<typeof tools>();
    const area2 = await typed.callTool("class", { radius: 1 });
    expectTypeOf(area2).toEqualTypeOf<{ value: number; unit: string }>();
    expect(area2).toEqual({ value: Math.PI, unit: "m²" });
    expect(await typed.callTool("zod", { radius: 1 })).toEqual({ value: Math.PI });
    expect(await typed.callTool("greet", {})).toMatchObject({ content: [{ text: "hello" }] });
    // @ts-expect-error: there is no such tool.
    await expect(typed.callTool("nothing", {})).rejects.toThrow(/Unknown tool/);
    // @ts-expect-error: the radius is a number.
    await expect(typed.callTool("literal", { radius: "1" })).rejects.toThrow(/radius/);
  },
);

test("a failing tool rejects a typed call with what it says and the result as cause (S-090)", async () => {
  const failing = defineTool({ name: "failing", output: area }, () => {
    throw new ToolError("not today");
  });
  await using session = await connect(modernRevision, (server) => server.addTool(failing));
  await expect(session.callTool(failing, {})).rejects.toMatchObject({
    name: "ToolError",
    message: "not today",
    cause: { isError: true },
  });
});

test("output that does not fit what the client knows of the tool is refused (R-471)", async () => {
  const reported = { name: "report", input: undefined, output: area };
  await using session = await connect(modernRevision, (server) => {
    server.addTool({ name: "report" }, () => ({ content: [], structuredContent: { value: "one" } }));
  });
  await expect(session.callTool(reported, {})).rejects.toSatisfy((error) =>
    isMcpError(error, "INVALID_RESULT"),
  );
});

test("a schema of one's own goes on the wire in place of the inferred one; arguments must fit both (S-128, S-129, S-130)", async () => {
  const inputSchema: JSONSchemaObject = {
    type: "object",
    properties: { radius: { type: "number", maximum: 10, description: "edited" } },
    required: ["radius"],
  };
  const outputSchema: JSONSchemaObject = { type: "object", properties: { value: { maximum: 100 } } };
  const errors: unknown[] = [];
  const server = new Server({ name: "server", version: "1.0.0" }, { onError: (error) => errors.push(error) });
  server.addTool({ name: "edited", input: Circle, inputSchema, output: area, outputSchema }, (circle) => ({
    value: circle.area(),
  }));
  server.addTool({ name: "bare", inputSchema }, (args) => String(args["radius"]));
  const [here, there] = createInMemoryTransports();
  await server.connect(there);
  await using session = await new Client({ name: "client", version: "1.0.0" }).connect(here);
  const { tools: listed } = await session.listTools();
  expect(listed[1]).toMatchObject({ inputSchema, outputSchema });
  const call = (radius: number): Promise<unknown> =>
    session.callTool({ name: "edited", arguments: { radius } });
  expect(await call(1)).toMatchObject({ structuredContent: { value: Math.PI } });
  expect(await call(11)).toMatchObject({
    isError: true,
    content: [{ text: expect.stringContaining("10") as string }],
  });
  expect(await call(-1)).toMatchObject({ isError: true });
  expect(errors).toEqual([]);
  expect(await call(9)).toMatchObject({ isError: true });
  expect(errors).toHaveLength(1);
  expect(await session.callTool({ name: "bare", arguments: { radius: 11 } })).toMatchObject({
    isError: true,
  });
  expect(await session.callTool({ name: "bare", arguments: { radius: 3 } })).toMatchObject({
    content: [{ text: "3" }],
  });
});

test("checks of a library that are asynchronous are waited for, in and out", async () => {
  const input = z.object({
    id: z.string().refine(async (id) => Promise.resolve(id !== "bad"), "no such id"),
  });
  const output = z.object({ id: z.string().refine(async (id) => Promise.resolve(id !== "worse")) });
  await using session = await connect(modernRevision, (server) =>
    server.addTool({ name: "async", input, output }, ({ id }) => ({ id })),
  );
  const call = (id: string): Promise<unknown> => session.callTool({ name: "async", arguments: { id } });
  expect(await call("good")).toMatchObject({ structuredContent: { id: "good" } });
  expect(await call("bad")).toMatchObject({
    isError: true,
    content: [{ text: expect.stringContaining("no such id") as string }],
  });
  expect(await call("worse")).toMatchObject({ isError: true });
});

test("defaults of the schema are applied before the handler runs, and the caller may leave them out", async () => {
  const counted = defineTool(
    {
      name: "counted",
      input: { type: "object", properties: { count: { type: "integer", default: 3 } } },
      output: { type: "integer" },
    },
    ({ count }) => {
      expectTypeOf(count).toEqualTypeOf<number>();
      return count;
    },
  );
  await using session = await connect(modernRevision, (server) => server.addTool(counted));
  expect(await session.callTool(counted, {})).toBe(3);
  expect(await session.callTool(counted, { count: 4 })).toBe(4);
});

test.each([
  [{ "x-mcp-header": "" }, /name of a header/],
  [{ "x-mcp-header": "a b" }, /name of a header/],
  [{ "x-mcp-header": 1 }, /name of a header/],
  [{ "x-mcp-header": "A", type: "number" }, /string, integer or boolean/],
  [{ "x-mcp-header": "A", type: ["string", "null"] }, /string, integer or boolean/],
  [{ type: "array", items: { type: "string", "x-mcp-header": "A" } }, /through "properties" alone/],
  [{ anyOf: [{ type: "string", "x-mcp-header": "A" }] }, /through "properties" alone/],
])("a tool with the header annotation %j is refused (R-317, R-318, R-319)", (property, reason) => {
  const server = new Server({ name: "server", version: "1.0.0" });
  const input = { type: "object", properties: { property } } as never;
  expect(() => server.addTool({ name: "t", input }, () => "")).toThrow(reason);
});

test("header annotations on nested properties are allowed, but each name once in any case (R-316, R-317, R-319)", () => {
  const server = new Server({ name: "server", version: "1.0.0" });
  const property = (name: string): object => ({ type: "string", "x-mcp-header": name });
  const input = (other: string): never =>
    ({
      type: "object",
      properties: { a: property("Region"), b: { type: "object", properties: { c: property(other) } } },
    }) as never;
  server.addTool({ name: "t", input: input("Zone") }, () => "");
  expect(() => server.addTool({ name: "u", input: input("REGION") }, () => "")).toThrow(/twice/);
});

test("what a handler returns is read as its output schema says: literals and tuples need no `as const`", async () => {
  const output = {
    type: "object",
    properties: {
      state: { enum: ["open", "closed"] },
      at: { type: "array", prefixItems: [{ type: "number" }, { type: "string" }], minItems: 2, items: false },
    },
    required: ["state", "at"],
  } as const;
  const input = { type: "object", properties: { id: { type: "integer" } }, required: ["id"] } as const;
  const defined = defineTool({ name: "defined", input, output }, async ({ id }) => ({
    state: id > 0 ? "open" : "closed",
    at: [id, "door"],
  }));
  const session = await connect(modernRevision, (server) => {
    server.addTool(defined);
    server.addTool({ name: "plain", input, output }, ({ id }) => ({ state: "closed", at: [id, "gate"] }));
    server.addTool({ name: "constant", output }, () => ({ state: "open", at: [0, "wall"] }));
    // @ts-expect-error -- not a state
    server.addTool({ name: "wrong", output }, () => ({ state: "ajar", at: [0, "wall"] }));
  });
  const result = await session.callTool(defined, { id: 3 });
  expectTypeOf(result).toEqualTypeOf<{ state: "open" | "closed"; at: [number, string] }>();
  expect(result).toEqual({ state: "open", at: [3, "door"] });
  const structured = async (name: string, args: object): Promise<unknown> =>
    (await session.callTool({ name, arguments: { ...args } })).structuredContent;
  expect(await structured("plain", { id: 1 })).toEqual({ state: "closed", at: [1, "gate"] });
  expect(await structured("constant", {})).toEqual({ state: "open", at: [0, "wall"] });
  expect(await session.callTool({ name: "wrong" })).toMatchObject({ isError: true });
});
