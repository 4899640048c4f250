import { compose, type ToolTransform } from "@tenon/compose";
import { compile, type JSONSchema } from "@tenon/jsonschema";
import { Client, Server, type ClientSession } from "@tenon/mcp";
import { modernRevision } from "@tenon/test-support";
import { createInMemoryTransports } from "@tenon/transports-memory";
import { expect, onTestFinished, test } from "vitest";

/** Generators of schemas refer to the first use of a schema, and to the root. */
const schema = {
  type: "object",
  properties: {
    label: { type: "string", maxLength: 5 },
    title: { $ref: "#/properties/label" },
    children: { type: "array", items: { $ref: "#" } },
    kind: { $ref: "#/$defs/kind" },
  },
  $defs: { kind: { enum: ["a", "b"] } },
} as const;

/**
 * A client that refuses results that do not match their schema, of a tool that is changed. The
 * server does not check the results.
 */
async function connect(
  transform: ToolTransform,
  results: readonly object[] = [],
  output: JSONSchema = schema,
): Promise<ClientSession> {
  const server = new Server({ name: "trees", version: "1.0.0" });
  server.addTool({ name: "run", input: schema, output }, () => ({}));
  const left = [...results];
  server.addReceivingMiddleware(
    (next) => (request) =>
      request.method === "tools/call" ? { content: [], structuredContent: left.shift() } : next(request),
  );
  const composed = compose({ trees: server }, { transforms: [{ name: "run", ...transform }] });
  const [here, there] = createInMemoryTransports();
  await composed.connect(there);
  const client = new Client(
    { name: "test", version: "1.0.0" },
    { revisions: [modernRevision], strictness: "strict" },
  );
  const session = await client.connect(here);
  onTestFinished(async () => {
    await session.close({ drainMs: 0 });
    await composed.close({ drainMs: 0 });
  });
  return session;
}

test.each([
  ["/title", { title: "short" }, { title: "too long" }],
  ["/children", { children: [{ title: "short", kind: "a" }] }, { children: [{ children: [{ title: 1 }] }] }],
  ["/kind", { kind: "b" }, { kind: "c" }],
])("a client checks the part %s of a result as a part of the whole", async (output, good, bad) => {
  const session = await connect({ output }, [good, bad]);
  const { tools } = await session.listTools();
  expect(tools[0]?.outputSchema).toBeDefined();
  await session.callTool({ name: "run" });
  await expect(session.callTool({ name: "run" })).rejects.toMatchObject({ code: "INVALID_RESULT" });
});

test.each<[string, string, object, unknown, unknown]>([
  [
    "an anchor of the part itself",
    "/node",
    {
      node: {
        $anchor: "node",
        type: "object",
        properties: { next: { $ref: "#node" }, twin: { $ref: "#/properties/node" } },
      },
    },
    { next: { twin: {} } },
    { next: { twin: 1 } },
  ],
  [
    "an anchor elsewhere in the schema",
    "/list/0",
    {
      "a/b %": { $anchor: "short", type: "string", maxLength: 5 },
      list: { items: { type: "object", properties: { a: { $ref: "#short" } } } },
    },
    { a: "short" },
    { a: "too long" },
  ],
  [
    "an address of the part, whose references are its own",
    "/node",
    {
      node: {
        $id: "https://example.com/node",
        type: "object",
        properties: { label: { $ref: "#/$defs/kind" } },
        $defs: { kind: { const: "own" } },
      },
      again: { $ref: "https://example.com/node" },
    },
    { label: "own" },
    { label: "a" },
  ],
  [
    "a name with special characters",
    "/a~1b %",
    {
      "a/b %": { type: "object", properties: { a: { $ref: "#/properties/other" } } },
      other: { type: "string" },
    },
    { a: "text" },
    { a: 1 },
  ],
])("a part of a schema with %s is a valid schema", async (_, output, properties, good, bad) => {
  const session = await connect({ output }, [], {
    type: "object",
    properties,
    $defs: { kind: { enum: ["a", "b"] } },
  } as JSONSchema);
  const [tool] = (await session.listTools()).tools;
  expect(tool?.outputSchema).toHaveProperty("type", "object");
  const validator = compile(tool?.outputSchema as JSONSchema);
  expect([validator.check(good).valid, validator.check(bad).valid]).toEqual([true, false]);
});

test("references to arguments follow their new names, and those to a fixed argument keep its schema", async () => {
  const renamed = await connect({ arguments: { label: { name: "a/b c" } } });
  expect((await renamed.listTools()).tools[0]?.inputSchema).toMatchObject({
    properties: {
      "a/b c": { type: "string", maxLength: 5 },
      title: { $ref: "#/properties/a~1b%20c" },
      kind: { $ref: "#/$defs/kind" },
    },
  });
  const fixed = await connect({ arguments: { label: { value: "x" } } });
  const { inputSchema } = (await fixed.listTools()).tools[0] ?? {};
  expect(inputSchema).toMatchObject({
    properties: { title: { $ref: "#/$defs/label" } },
    $defs: { kind: { enum: ["a", "b"] }, label: { type: "string", maxLength: 5 } },
  });
  expect(inputSchema?.properties).not.toHaveProperty("label");
});
