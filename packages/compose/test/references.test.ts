import { compose, type ToolTransform } from "@tenon/compose";
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
async function connect(transform: ToolTransform, ...results: readonly object[]): Promise<ClientSession> {
  const server = new Server({ name: "trees", version: "1.0.0" });
  server.addTool({ name: "run", input: schema, output: schema }, () => ({}));
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
  const session = await connect({ output }, good, bad);
  const { tools } = await session.listTools();
  expect(tools[0]?.outputSchema).toBeDefined();
  await session.callTool({ name: "run" });
  await expect(session.callTool({ name: "run" })).rejects.toMatchObject({ code: "INVALID_RESULT" });
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
