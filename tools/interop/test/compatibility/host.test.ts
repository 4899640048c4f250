import { Manager } from "@tenon/sdk/host";
import { nodeTransports } from "@tenon/sdk/host/node";
import { expect, test } from "vitest";

import { ordinary, serve, type Says } from "./scripted.ts";
import { rows, type RowsOf } from "./table.ts";

const schema = { type: "object" };

/** The names of the tools that a host finds, and what it reports about them. */
async function toolsOf(says: Says) {
  await using server = await serve(says);
  const events: string[] = [];
  const manager = new Manager({
    servers: { one: { type: "http", url: server.url } },
    transports: nodeTransports(),
  });
  manager.on("list_failed", ({ error }) => void events.push(`failed ${String(error)}`));
  manager.on("list_incomplete", ({ error }) => void events.push(`incomplete ${String(error)}`));
  await manager.connectAll();
  const tools = await manager.tools();
  const prompts = await manager.prompts();
  const called = await manager.callTool("one", "t", {}).catch((error: unknown) => error);
  await manager.close();
  const asked = server.seen.filter((method) => method === "tools/list").length;
  return { tools, prompts, events, asked, called };
}

const cases: Readonly<Record<RowsOf<"host">, () => Promise<void>>> = {
  async "cursor-empty"() {
    const result = { tools: [{ name: "t", inputSchema: schema }], nextCursor: "" };
    const { tools, events, asked } = await toolsOf({ "tools/list": { result } });
    expect([tools.map(({ name }) => name), events, asked]).toEqual([["mcp__one__t"], [], 1]);
  },
  async "cursor-stuck"() {
    const result = { tools: [{ name: "t", inputSchema: schema }], nextCursor: "again" };
    const { tools, events, asked } = await toolsOf({ "tools/list": { result } });
    expect([tools.map(({ name }) => name), asked]).toEqual([["mcp__one__t"], 2]);
    expect(events.join()).toMatch(/^incomplete .*repeat a cursor/);
  },
  async null() {
    const tool = { name: "t", title: null, annotations: null, inputSchema: null, outputSchema: null };
    const result = { tools: [tool], nextCursor: null, _meta: null };
    const { tools, events } = await toolsOf({ "tools/list": { result } });
    expect([tools.length, events]).toEqual([1, []]);
  },
  async "empty-array"() {
    const opened = ordinary["initialize"] as { result: object };
    for (const odd of [
      { annotations: [] },
      { _meta: [] },
      { outputSchema: [] },
      { inputSchema: [] },
      { inputSchema: { type: "object", properties: [] } },
      { inputSchema: { type: "object", properties: { a: {} }, required: {} } },
    ]) {
      const { tools, events } = await toolsOf({
        initialize: { result: { ...opened.result, capabilities: { tools: [] } } },
        "tools/list": { result: { tools: [{ name: "t", inputSchema: schema, ...odd }] } },
      });
      expect([tools.length, events], JSON.stringify(odd)).toEqual([1, []]);
      expect(JSON.stringify(tools)).not.toMatch(/(annotations|_meta|Schema|properties)":\[\]|required":\{\}/);
    }
  },
  async "output-schema"() {
    const outputSchema = { $schema: "https://example.com/my-dialect", type: "object" };
    const { called } = await toolsOf({
      "tools/list": { result: { tools: [{ name: "t", inputSchema: schema, outputSchema }] } },
      "tools/call": { result: { content: [], structuredContent: { n: 1 } } },
    });
    expect(called).toMatchObject({ structuredContent: { n: 1 } });
  },
  async "capability-by-mistake"() {
    const opened = ordinary["initialize"] as { result: object };
    const capabilities = { tools: {}, prompts: {}, resources: {} };
    const { tools, prompts, events } = await toolsOf({
      initialize: { result: { ...opened.result, capabilities } },
    });
    expect([tools.length, prompts.length, events]).toEqual([1, 0, []]);
  },
};

test.each(Object.entries(cases))("a host copes with %s", async (name, run) => {
  expect(rows).toHaveProperty([name]);
  await run();
});
