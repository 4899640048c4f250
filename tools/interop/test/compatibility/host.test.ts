import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

import { Manager } from "@tenon/sdk/host";
import { loadConfig, nodeTransports } from "@tenon/sdk/host/node";
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

/** The servers of a configuration file. @throws The first error of an entry. */
async function configOf(
  name: string,
  content: string | Buffer,
  others: Readonly<Record<string, string>> = {},
): Promise<Record<string, unknown>> {
  const folder = await mkdtemp(join(tmpdir(), "tenon-config-"));
  try {
    for (const [file, written] of Object.entries({ ...others, [name]: content })) {
      await mkdir(dirname(join(folder, file)), { recursive: true });
      await writeFile(join(folder, file), written);
    }
    const { servers, errors } = await loadConfig(join(folder, name), { env: { TOKEN: "t1" } });
    const [first] = errors.values();
    if (first !== undefined) {
      throw first;
    }
    return Object.fromEntries(servers.map((server) => [server.name, server.spec]));
  } finally {
    await rm(folder, { recursive: true });
  }
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
  async "cursor-kind"() {
    const result = { tools: [{ name: "t", inputSchema: schema }], nextCursor: false };
    const { tools, events } = await toolsOf({ "tools/list": { result } });
    expect(tools.map(({ name }) => name)).toEqual(["mcp__one__t"]);
    expect(events.join()).toMatch(/^incomplete .*nextCursor/);
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
  async "config-empty"() {
    for (const text of ["", " \r\n", "\ufeff", "// nothing yet\n", "{}", '{ "globalShortcut": "" }']) {
      expect(await configOf("mcp.json", text), JSON.stringify(text)).toEqual({});
    }
    expect(await configOf("config.toml", "model = 'x'\n")).toEqual({});
    expect(await configOf("config.yaml", "extensions: [a]\n")).toEqual({});
  },
  async "config-unknown-key"() {
    await expect(configOf("mcp.json", '{ "mcpServer": { "a": { "command": "x" } } }')).rejects.toThrow(
      "mcpServers",
    );
  },
  async "config-encoding"() {
    const text = '{ "mcpServers": { "a": { "command": "é" } } }';
    for (const bytes of [
      Buffer.from(`\ufeff${text}`),
      Buffer.from(text, "utf16le"),
      Buffer.from(`\ufeff${text}`, "utf16le").swap16(),
      Buffer.from(text, "latin1"),
    ]) {
      expect(await configOf("mcp.json", bytes)).toEqual({ a: { type: "stdio", command: "é" } });
    }
  },
  async "config-comments"() {
    const text = '// mine\n{ "mcpServers": { "a": { "command": "x", }, /* no b */ }, }';
    expect(await configOf("mcp.json", text)).toEqual({ a: { type: "stdio", command: "x" } });
  },
  async "config-dollar"() {
    const text = '{ "mcpServers": { "a": { "command": "x", "env": { "K": "$TOKEN", "P": "pa$w" } } } }';
    const env = (K: string): object => ({ a: { type: "stdio", command: "x", env: { K, P: "pa$w" } } });
    expect(await configOf(".gemini/settings.json", text)).toEqual(env("t1"));
    expect(await configOf("mcp.json", text)).toEqual(env("$TOKEN"));
  },
  async "config-braces"() {
    const server = { type: "local", command: ["x", "{env:TOKEN}", "{file:key.txt}"] };
    const files = { "key.txt": "k1" };
    expect(await configOf("opencode.json", JSON.stringify({ mcp: { a: server } }), files)).toEqual({
      a: { type: "stdio", command: "x", args: ["t1", "k1"] },
    });
    const plain = { mcpServers: { a: { command: "x", args: ["{env:TOKEN}"] } } };
    expect(await configOf("mcp.json", JSON.stringify(plain))).toEqual({
      a: { type: "stdio", command: "x", args: ["{env:TOKEN}"] },
    });
  },
  async "config-dialect"() {
    const a = { a: { type: "stdio", command: "x" } };
    const entry = { command: "x" };
    expect(await configOf("mcp.json", JSON.stringify({ servers: { a: entry } }))).toEqual(a);
    expect(await configOf("settings.json", JSON.stringify({ context_servers: { a: entry } }))).toEqual(a);
    expect(await configOf("settings.json", JSON.stringify({ "amp.mcpServers": { a: entry } }))).toEqual(a);
    expect(await configOf("crush.json", JSON.stringify({ mcp: { a: { type: "stdio", ...entry } } }))).toEqual(
      a,
    );
    expect(await configOf("config.toml", '[mcp_servers.a]\ncommand = "x"\n')).toEqual(a);
    const goose = "extensions:\n  a:\n    type: stdio\n    cmd: x\n    enabled: true\n";
    expect(await configOf("config.yaml", goose)).toEqual(a);
  },
  async "config-command"() {
    const server = { type: "stdio", command: "x", env: { K: "$(touch pwned)" } };
    const text = JSON.stringify({ mcp: { a: server, b: { type: "stdio", command: "y" } } });
    await expect(configOf("crush.json", text)).rejects.toThrow("$(");
  },
  async "config-timeout"() {
    const servers = { a: { command: "x", timeout: 60 }, b: { command: "y", timeout: 60_000 } };
    const limits = { policy: { limits: { totalTimeoutMs: 60_000 } } };
    expect(await configOf("mcp.json", JSON.stringify({ mcpServers: servers }))).toEqual({
      a: { type: "stdio", command: "x", ...limits },
      b: { type: "stdio", command: "y", ...limits },
    });
  },
};

test.each(Object.entries(cases))("a host copes with %s", async (name, run) => {
  expect(rows).toHaveProperty([name]);
  await run();
});
