import type { ServerResponse } from "node:http";

import { Client } from "@tenon/sdk/client";
import { legacyRevision, modernRevision } from "@tenon/test-support";
import { expect, test } from "vitest";

import { connectTo, ordinary, program, saidTo, scriptOf, serve, type Says } from "./scripted.ts";
import { rows, type RowsOf } from "./table.ts";

const discovery = {
  resultType: "complete",
  supportedVersions: [modernRevision],
  capabilities: { tools: {} },
  ttlMs: 0,
  cacheScope: "private",
};

const cases: Readonly<Record<RowsOf<"client">, () => Promise<void>>> = {
  async "slow-start"() {
    // The server is ready when both requests have come; nothing orders their responses.
    const held: (() => void)[] = [];
    await using server = await serve({}, ({ id, method }, response) => {
      const said = {
        "server/discover": { result: discovery },
        initialize: { error: { code: 0, message: 'duplicate "initialize" received' } },
      }[method];
      if (said === undefined) {
        return false;
      }
      held.push(() => {
        response.writeHead(200, { "content-type": "application/json" });
        response.end(JSON.stringify({ jsonrpc: "2.0", id, ...said }));
      });
      if (held.length === 2) {
        held.toReversed().forEach((answer) => answer());
      }
      return true;
    });
    await using it = await connectTo(server.url, { limits: { probeTimeoutMs: 1 } });
    expect(it.session.revision).toBe(modernRevision);
  },
  async "probe-5xx"() {
    for (const status of [500, 501, 502, 503, 0]) {
      await using server = await serve({}, ({ method }, response, request) => {
        if (method !== "server/discover") {
          return false;
        }
        if (status === 0) {
          request.socket.destroy();
        } else {
          response.writeHead(status, { "content-type": "text/html" }).end("<h1>no</h1>");
        }
        return true;
      });
      await using it = await connectTo(server.url);
      expect(it.session.revision, String(status)).toBe(legacyRevision);
    }
  },
  async "probe-ignored"() {
    const client = new Client({ name: "test", version: "1" });
    await using session = await client.connect(program({ "server/discover": {} }));
    expect(session.revision).toBe(legacyRevision);
  },
  async "probe-redirected"() {
    let asked = 0;
    await using server = await serve(
      { initialize: { error: { code: -32022, message: "no", data: { supported: [modernRevision] } } } },
      ({ id, method }, response) => {
        if (method !== "server/discover" || ++asked === 1) {
          return false;
        }
        response.writeHead(200, { "content-type": "application/json" });
        response.end(JSON.stringify({ jsonrpc: "2.0", id, result: discovery }));
        return true;
      },
    );
    await using it = await connectTo(server.url);
    expect(it.session.revision).toBe(modernRevision);
  },
  async "cursor-empty"() {
    const tools = [{ name: "a", inputSchema: { type: "object" } }];
    await using server = await serve({ "tools/list": { result: { tools, nextCursor: "" } } });
    await using it = await connectTo(server.url, { strictness: "strict" });
    expect(await namesOf(it.session.tools())).toEqual(["a"]);
  },
  async "cursor-stuck"() {
    const tools = [{ name: "a", inputSchema: { type: "object" } }];
    await using server = await serve({ "tools/list": { result: { tools, nextCursor: "again" } } });
    await using it = await connectTo(server.url);
    expect(await namesOf(it.session.tools())).toEqual(["a"]);
    expect(it.reported.join()).toContain("repeatedCursor");
    await using strict = await connectTo(server.url, { strictness: "strict" });
    await expect(namesOf(strict.session.tools())).rejects.toMatchObject({ code: "INVALID_RESULT" });
  },
  async "cursor-kind"() {
    for (const nextCursor of [false, 0, 5, {}]) {
      const result = { tools: [{ name: "a", inputSchema: { type: "object" } }], nextCursor };
      await using server = await serve({ "tools/list": { result } });
      await using it = await connectTo(server.url);
      expect(await namesOf(it.session.tools())).toEqual(["a"]);
      expect(it.reported.join()).toContain("repeatedCursor");
      await using strict = await connectTo(server.url, { strictness: "strict" });
      await expect(namesOf(strict.session.tools())).rejects.toMatchObject({ code: "INVALID_RESULT" });
    }
  },
  async "content-form"() {
    const text = { type: "text", text: "done" };
    for (const content of ["done", text, ["done"]]) {
      await using server = await serve({ "tools/call": { result: { content } } });
      await using it = await connectTo(server.url);
      expect(await it.session.callTool({ name: "t" })).toMatchObject({ content: [text] });
      expect(it.reported.join()).toContain("oddContent");
      await using strict = await connectTo(server.url, { strictness: "strict" });
      await expect(strict.session.callTool({ name: "t" })).rejects.toMatchObject({ code: "INVALID_RESULT" });
    }
  },
  async "initialized-refused"() {
    for (const status of [400, 405, 500]) {
      await using server = await serve({}, ({ id, method }, response) => {
        if (method !== "notifications/initialized") {
          return false;
        }
        response.writeHead(status, { "content-type": "application/json" });
        response.end(JSON.stringify({ jsonrpc: "2.0", id, error: { code: -32601, message: "Not found" } }));
        return true;
      });
      await using it = await connectTo(server.url);
      expect(await it.session.callTool({ name: "t" })).toMatchObject({ content: [{ text: "done" }] });
      expect(server.seen).toContain("GET");
      expect(it.reported.join()).toContain("refusedNotification");
      await expect(connectTo(server.url, { strictness: "strict" })).rejects.toMatchObject({ status });
    }
  },
  async "type-of-json"() {
    for (const type of ["text/plain; charset=utf-8", "application/json-rpc", undefined]) {
      await using server = await serve({}, ({ id, method }, response) => {
        if (id === undefined) {
          return false;
        }
        response.writeHead(200, type === undefined ? {} : { "content-type": type });
        response.end(JSON.stringify({ jsonrpc: "2.0", id, ...saidTo({}, method) }));
        return true;
      });
      await using it = await connectTo(server.url);
      expect(await it.session.callTool({ name: "t" })).toMatchObject({ content: [{ text: "done" }] });
    }
    await using other = await serve({}, ({ method }, response) => {
      response.writeHead(200, { "content-type": "text/plain" });
      response.end(JSON.stringify({ jsonrpc: "2.0", id: "other", ...saidTo({}, method) }));
      return true;
    });
    await expect(connectTo(other.url)).rejects.toThrow("instead of the ID of request");
  },
  async "batch-of-responses"() {
    const note = { jsonrpc: "2.0", method: "notifications/message", params: { level: "info", data: "x" } };
    const said = `
      const response = { jsonrpc: "2.0", id, ...saidTo(method) };
      process.stdout.write(JSON.stringify(id === undefined ? [] : [${JSON.stringify(note)}, response]) + "\\n");`;
    await using session = await new Client({ name: "test", version: "1" }, { onError: () => {} }).connect(
      scriptOf(said),
    );
    expect(await session.callTool({ name: "t" })).toMatchObject({ content: [{ text: "done" }] });
    {
      await using server = await serve({}, ({ id, method }, response) => {
        if (method !== "tools/call") {
          return false;
        }
        const batch = JSON.stringify([note, { jsonrpc: "2.0", id, ...saidTo({}, method) }]);
        response.writeHead(200, { "content-type": "application/json" }).end(batch);
        return true;
      });
      const logged: unknown[] = [];
      await using it = await connectTo(server.url, { onLog: ({ data }) => void logged.push(data) });
      expect(await it.session.callTool({ name: "t" })).toMatchObject({ content: [{ text: "done" }] });
      expect(logged).toEqual(["x"]);
    }
  },
  async "id-with-point"() {
    const said =
      'process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id, ...saidTo(method) }).replace(/"id":(\\d+)/, \'"id":$1.0\') + "\\n");';
    await using session = await new Client({ name: "test", version: "1" }).connect(
      scriptOf(`if (id !== undefined) { ${said} }`),
    );
    expect(await session.callTool({ name: "t" })).toMatchObject({ content: [{ text: "done" }] });
  },
  async "response-invalid"() {
    const frames = [
      'JSON.stringify({ jsonrpc: "2.0", id })',
      'JSON.stringify({ jsonrpc: "2.0", id, error: "no" })',
      'Buffer.from(JSON.stringify({ jsonrpc: "2.0", id, result: "\\u00e9" }), "latin1")',
    ];
    for (const frame of frames) {
      const said = `
        if (method === "tools/call") {
          process.stdout.write(${frame});
          process.stdout.write("\\n");
        } else if (id !== undefined) {
          say({ id, ...saidTo(method) });
        }`;
      const client = new Client({ name: "test", version: "1" }, { onError: () => {} });
      await using session = await client.connect(scriptOf(said));
      await expect(session.callTool({ name: "t" })).rejects.toThrow("Invalid response");
    }
  },
  async null() {
    const opened = { ...ordinary["initialize"] } as { result: object };
    const tool = {
      name: "a",
      title: null,
      annotations: null,
      outputSchema: null,
      inputSchema: { type: "object" },
    };
    await using server = await serve({
      initialize: { result: { ...opened.result, instructions: null, _meta: null } },
      "tools/list": { result: { tools: [tool], nextCursor: null, _meta: null } },
      "tools/call": { result: { content: [], structuredContent: null, isError: null, _meta: null } },
    });
    await using it = await connectTo(server.url, { strictness: "strict" });
    expect(it.session.instructions).toBeUndefined();
    expect(await namesOf(it.session.tools())).toEqual(["a"]);
    expect(await it.session.callTool({ name: "a" })).toMatchObject({ content: [] });
  },
  async "empty-array"() {
    const opened = ordinary["initialize"] as { result: object };
    await using server = await serve({
      initialize: { result: { ...opened.result, capabilities: { tools: [] }, _meta: [] } },
      ping: { result: [] },
    });
    await using it = await connectTo(server.url);
    expect(await namesOf(it.session.tools())).toEqual(["t"]);
    await it.session.ping();
    await using none = await serve({ initialize: { result: { ...opened.result, capabilities: [] } } });
    await using other = await connectTo(none.url);
    expect(other.session.serverCapabilities).toEqual({});
  },
  async "id-as-string"() {
    const code = scriptOf(`
      if (id !== undefined) {
        if (params?._meta?.progressToken !== undefined) {
          const progress = { progressToken: String(params._meta.progressToken), progress: 1 };
          say({ method: "notifications/progress", params: progress });
        }
        say({ id: String(id), ...saidTo(method) });
      }`);
    await using session = await new Client({ name: "test", version: "1" }).connect(code);
    const seen: number[] = [];
    const onProgress = ({ progress }: { readonly progress: number }): void => void seen.push(progress);
    expect(await session.callTool({ name: "t" }, { onProgress })).toMatchObject({
      content: [{ text: "done" }],
    });
    expect(seen).toEqual([1]);

    await using server = await serve({}, ({ id, method }, response) => {
      if (id === undefined || saidTo({}, method) === undefined) {
        return false;
      }
      response.writeHead(200, { "content-type": "application/json" });
      response.end(JSON.stringify({ jsonrpc: "2.0", id: String(id), ...saidTo({}, method) }));
      return true;
    });
    await using it = await connectTo(server.url);
    expect(await it.session.callTool({ name: "t" })).toMatchObject({ content: [{ text: "done" }] });
  },
  async "error-without-id"() {
    const code = scriptOf(`
      if (method === "tools/call") {
        say({ id: null, error: { code: -32603, message: "boom" } });
      } else if (method === "notifications/initialized") {
        say({ id: null, error: { code: -32601, message: "what is initialized?" } });
      } else if (id !== undefined) {
        say({ id, ...saidTo(method) });
      }`);
    const reported: string[] = [];
    const client = new Client(
      { name: "test", version: "1" },
      { onError: (error) => reported.push(String(error)) },
    );
    await using session = await client.connect(code);
    expect(await namesOf(session.tools())).toEqual(["t"]);
    expect(reported.join()).toContain("what is initialized?");
    await expect(session.callTool({ name: "t" })).rejects.toMatchObject({ code: -32603, message: "boom" });
  },
  async "null-beside"() {
    const withNull = Object.fromEntries(
      Object.entries(ordinary).map(([method, said]) => [method, { ...said, error: null }]),
    );
    const refused = { result: null, error: { code: -32000, message: "no" } };
    await using server = await serve({ ...withNull, "tools/call": refused });
    await using it = await connectTo(server.url, { strictness: "strict" });
    expect(await namesOf(it.session.tools())).toEqual(["t"]);
    await expect(it.session.callTool({ name: "t" })).rejects.toMatchObject({ code: -32000, message: "no" });
  },
  async "no-version"() {
    const opened = ordinary["initialize"] as { result: object };
    await using server = await serve({
      initialize: { result: { ...opened.result, serverInfo: { name: "n" } } },
    });
    await using it = await connectTo(server.url);
    expect(it.session.serverInfo).toEqual({ name: "n", version: "" });
    await expect(connectTo(server.url, { strictness: "strict" })).rejects.toMatchObject({
      code: "INVALID_RESULT",
    });
  },
  async "answer-elsewhere"() {
    let stream: ServerResponse | undefined;
    await using server = await serve({}, ({ id, method }, response) => {
      if (method === "GET") {
        stream = response;
        response.writeHead(200, { "content-type": "text/event-stream" }).write(": open\n\n");
      } else if (method === "tools/call") {
        response.writeHead(202).end();
        stream?.write(`data: ${JSON.stringify({ jsonrpc: "2.0", id, ...saidTo({}, method) })}\n\n`);
      } else if (method === "initialize") {
        response.writeHead(200, { "content-type": "application/json", "mcp-session-id": "s" });
        response.end(JSON.stringify({ jsonrpc: "2.0", id, ...ordinary["initialize"] }));
      } else {
        return false;
      }
      return true;
    });
    await using it = await connectTo(server.url);
    expect(await it.session.callTool({ name: "t" })).toMatchObject({ content: [{ text: "done" }] });
  },
  async "get-without-stream"() {
    await using server = await serve({}, ({ method }, response) => {
      if (method !== "GET") {
        return false;
      }
      response.writeHead(200, { "content-type": "text/html" }).end("<h1>hello</h1>");
      return true;
    });
    const states: string[] = [];
    await using it = await connectTo(server.url, {}, { onListening: ({ state }) => states.push(state) });
    expect(await namesOf(it.session.tools())).toEqual(["t"]);
    expect(states).toEqual(["connecting", "unsupported"]);
  },
  async "session-gone"() {
    let alive = 0;
    let opened = 0;
    await using server = await serve({}, ({ id, method }, response, request) => {
      if (method === "initialize") {
        alive = ++opened;
        response.writeHead(200, { "content-type": "application/json", "mcp-session-id": `s${alive}` });
        response.end(JSON.stringify({ jsonrpc: "2.0", id, ...ordinary["initialize"] }));
        return true;
      }
      const named = request.headers["mcp-session-id"];
      if (named === undefined || named === `s${alive}`) {
        return false;
      }
      response.writeHead(404).end();
      return true;
    });
    await using it = await connectTo(server.url);
    await it.session.callTool({ name: "t" });
    alive = 0;
    // The tool is not known to be harmless: it is called again because it has not run.
    expect(await it.session.callTool({ name: "t" })).toMatchObject({ content: [{ text: "done" }] });
    expect(opened).toBe(2);
  },
  async "output-schema"() {
    const odd = [
      {
        $schema: "http://json-schema.org/draft-04/schema#",
        properties: { n: { minimum: 0, exclusiveMinimum: true } },
      },
      { $schema: "https://example.com/my-dialect" },
      { properties: { n: { pattern: "(?P<year>x)" } } },
      { properties: { n: { $ref: "https://elsewhere.example/o.json" } } },
      { properties: { n: { type: "any" } } },
    ];
    for (const schema of odd) {
      await using server = await serve(withOutput({ type: "object", ...schema }, { n: 1 }));
      await using it = await connectTo(server.url);
      await namesOf(it.session.tools());
      expect(await it.session.callTool({ name: "t" }), JSON.stringify(schema)).toMatchObject({
        structuredContent: { n: 1 },
      });
      expect(it.reported.join()).toContain("unusableOutputSchema");
      await using strict = await connectTo(server.url, { strictness: "strict" });
      await namesOf(strict.session.tools());
      await expect(strict.session.callTool({ name: "t" })).rejects.toMatchObject({
        result: { structuredContent: { n: 1 } },
      });
    }
  },
  async "output-mismatch"() {
    await using server = await serve(
      withOutput({ type: "object", properties: { n: { type: "string" } } }, { n: 1 }),
    );
    await using it = await connectTo(server.url);
    await namesOf(it.session.tools());
    await expect(it.session.callTool({ name: "t" })).rejects.toMatchObject({
      code: "INVALID_RESULT",
      result: { structuredContent: { n: 1 } },
    });
  },
  async "blank-lines"() {
    const code = scriptOf(`
      process.stdout.write("   \\n\\t\\r\\n");
      if (id !== undefined) {
        say({ id, ...saidTo(method) });
      }`);
    const reported: unknown[] = [];
    const client = new Client({ name: "test", version: "1" }, { onError: (error) => reported.push(error) });
    await using session = await client.connect(code);
    expect(await namesOf(session.tools())).toEqual(["t"]);
    expect(reported).toEqual([]);
  },
};

/** Says that a tool has this output schema and returns this content. */
function withOutput(outputSchema: object, structuredContent: object): Says {
  return {
    "tools/list": { result: { tools: [{ name: "t", inputSchema: { type: "object" }, outputSchema }] } },
    "tools/call": { result: { content: [{ type: "text", text: "1" }], structuredContent } },
  };
}

async function namesOf(items: AsyncIterable<{ readonly name: string }>): Promise<string[]> {
  const names: string[] = [];
  for await (const { name } of items) {
    names.push(name);
  }
  return names;
}

test.each(Object.entries(cases))("a client copes with %s", async (name, run) => {
  expect(rows).toHaveProperty([name]);
  await run();
});
