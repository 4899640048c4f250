import { expect, test } from "vitest";

import { bridgeAll, bridgeTool, Manager, type EngineTool } from "../src/index.ts";
import { localServer } from "./fixture.ts";

const schema = {
  type: "object",
  properties: { a: { oneOf: [{ type: "string" }, { anyOf: [{ type: "number" }] }], default: 1 } },
} as const;

const mixed = () =>
  localServer((server) => {
    server.addTool(
      { name: "look", description: "Looks", input: schema, annotations: { readOnlyHint: true } },
      () => ({
        content: [
          { type: "text", text: "seen" },
          { type: "image", data: "AAAA", mimeType: "image/png" },
          { type: "resource", resource: { uri: "x://1", mimeType: "text/plain", text: "inside" } },
        ],
        isError: true,
      }),
    );
    server.addTool({ name: "touch" }, () => "");
  });

test("S-276, S-277, S-278, S-279, S-280, S-281: a remote tool as an engine's: name, description, schema, careful metadata, and its results", async () => {
  const eye = mixed();
  await using manager = new Manager({ servers: { eye: eye.spec } });
  await manager.connectAll();
  const [look] = await manager.tools();
  if (look === undefined) {
    throw new Error("no tool");
  }
  const tool = bridgeTool(look, manager);
  expect(tool.name).toBe("mcp__eye__look");
  expect(tool.description).toBe("Looks\n(from the MCP server eye)");
  expect(tool.inputSchema).toMatchObject(schema);
  expect([tool.isConcurrencySafe, tool.isReadOnly]).toEqual([false, false]);
  expect(bridgeTool(look, manager, { trustAnnotations: (server) => server === "eye" }).isReadOnly).toBe(true);
  expect(bridgeTool(look, manager, { trustAnnotations: () => false }).isReadOnly).toBe(false);
  expect(await tool.execute({ a: "x" })).toEqual({
    isError: true,
    content: [
      { type: "text", text: "seen" },
      { type: "media", data: "AAAA", mediaType: "image/png" },
      { type: "resource", uri: "x://1", mediaType: "text/plain", text: "inside" },
    ],
  });
  // The server validates by what its schema says: neither a string nor a number.
  expect(await tool.execute({ a: true })).toMatchObject({
    isError: true,
    content: [{ type: "text", text: expect.stringMatching(/^(?=.*string)(?=.*number)/s) }],
  });
  expect(await tool.execute({ a: 5 })).toMatchObject({ content: [{ text: "seen" }, {}, {}] });
  await expect(tool.execute({}, { signal: AbortSignal.abort(new Error("no")) })).rejects.toThrow("no");
});

test("S-282: names that are taken are skipped, logged and reported", async () => {
  const eye = mixed();
  await using manager = new Manager({ servers: { eye: eye.spec } });
  await manager.connectAll();
  const tools = new Map<string, EngineTool | undefined>([["mcp__eye__look", undefined]]);
  const warnings: string[] = [];
  const registry = {
    has: (name: string) => tools.has(name),
    add: (tool: EngineTool) => void tools.set(tool.name, tool),
  };
  const logger = { warn: (fields: object) => void warnings.push(JSON.stringify(fields)) };
  expect(await bridgeAll(manager, registry, { logger })).toEqual({ added: 1, skipped: ["mcp__eye__look"] });
  expect(tools.get("mcp__eye__touch")?.server).toBe("eye");
  expect(tools.get("mcp__eye__look")).toBeUndefined();
  expect(warnings).toEqual([expect.stringContaining("mcp__eye__look")]);
});
