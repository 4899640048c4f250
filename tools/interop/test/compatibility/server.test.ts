import { PassThrough } from "node:stream";

import { createStreamableHandler } from "@tenon/sdk/http";
import { listen } from "@tenon/sdk/node";
import { Server, type ServerOptions } from "@tenon/sdk/server";
import { StdioTransport } from "@tenon/sdk/stdio";
import { legacyRevision, modernRevision } from "@tenon/test-support";
import { expect, test } from "vitest";
import { z } from "zod";

import { rows, type RowsOf } from "./table.ts";

interface Told {
  readonly status: number;
  readonly type: string | null;
  readonly session: string | null;
  readonly message: { readonly id?: unknown; readonly result?: object; readonly error?: object };
}

/** A server with the tool `t`, which returns its arguments, and how to send it anything. */
async function serve(options: ServerOptions = {}, sessions = true) {
  const warned: string[] = [];
  const onError = (error: unknown): void => void warned.push(String(error));
  const server = new Server({ name: "s", version: "1" }, { logging: true, onError, ...options });
  server.addTool({ name: "t", input: z.looseObject({}) }, (args) => JSON.stringify(args));
  server.addPrompt({ name: "p", arguments: [{ name: "a" }], complete: { a: ["x"] } }, () => "hello");
  const handler = createStreamableHandler({
    getServer: () => server,
    ...(sessions ? {} : { sessions: false }),
  });
  const listening = await listen(handler, { port: 0 });
  const send = async (message: object, headers: Readonly<Record<string, string>> = {}): Promise<Told> => {
    const response = await fetch(listening.url, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        ...headers,
      },
      body: JSON.stringify({ jsonrpc: "2.0", ...message }),
    });
    const text = await response.text();
    const data = /^data: (.*)$/m.exec(text)?.[1] ?? text;
    return {
      status: response.status,
      type: response.headers.get("content-type"),
      session: response.headers.get("mcp-session-id"),
      message: (data === "" ? {} : JSON.parse(data)) as Told["message"],
    };
  };
  const open = async (headers: Readonly<Record<string, string>> = {}): Promise<Told> =>
    send({ id: 0, method: "initialize", params: opening }, headers);
  return { server, send, open, warned, url: listening.url, [Symbol.asyncDispose]: () => listening.close() };
}

const opening = {
  protocolVersion: legacyRevision,
  capabilities: {},
  clientInfo: { name: "c", version: "1" },
};

const modern = {
  "io.modelcontextprotocol/protocolVersion": modernRevision,
  "io.modelcontextprotocol/clientCapabilities": {},
};
const modernHeaders = (method: string, name?: string): Readonly<Record<string, string>> => ({
  "mcp-protocol-version": modernRevision,
  "mcp-method": method,
  ...(name === undefined ? {} : { "mcp-name": name }),
});

/** A server over stdio, and the messages that it has written after these lines. */
async function overStdio(
  lines: readonly string[],
  options: ServerOptions = {},
  count = 1,
): Promise<object[]> {
  const stdin = new PassThrough();
  const stdout = new PassThrough();
  const server = new Server({ name: "s", version: "1" }, { onError: () => {}, ...options });
  await using _ = await server.connect(new StdioTransport({ stdin, stdout, divertStdout: false }));
  stdin.write(lines.map((line) => `${line}\n`).join(""));
  let text = "";
  for await (const chunk of stdout) {
    text += String(chunk);
    if (text.split("\n").length > count) {
      break;
    }
  }
  return text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as object);
}

const line = (message: object): string => JSON.stringify({ jsonrpc: "2.0", ...message });

const cases: Readonly<Record<RowsOf<"server">, () => Promise<void>>> = {
  async null() {
    await using it = await serve();
    const { session } = await it.open();
    const headers = { "mcp-session-id": session ?? "" };
    const ref = { type: "ref/prompt", name: "p" };
    const sent = [
      { method: "ping", params: null },
      { method: "tools/list", params: null },
      { method: "tools/list", params: { cursor: null, _meta: null } },
      { method: "tools/call", params: { name: "t", arguments: null, _meta: null } },
      { method: "prompts/get", params: { name: "p", arguments: null } },
      { method: "prompts/get", params: { name: "p", arguments: { a: null } } },
      { method: "completion/complete", params: { ref, argument: { name: "a", value: "" }, context: null } },
      {
        method: "completion/complete",
        params: { ref, argument: { name: "a", value: "" }, context: { arguments: null } },
      },
    ];
    for (const message of sent) {
      expect((await it.send({ id: 1, ...message }, headers)).message, JSON.stringify(message)).toHaveProperty(
        "result",
      );
    }
    const accepted = await it.send({ method: "notifications/initialized", params: null }, headers);
    expect([accepted.status, accepted.message]).toEqual([202, {}]);

    const _meta = {
      ...modern,
      "io.modelcontextprotocol/clientInfo": null,
      "io.modelcontextprotocol/logLevel": null,
    };
    const retry = { requestState: null, inputResponses: null };
    const told = await it.send(
      { id: 1, method: "tools/call", params: { name: "t", arguments: null, _meta, ...retry } },
      modernHeaders("tools/call", "t"),
    );
    expect(told.message).toMatchObject({ result: { content: [{ text: "{}" }] } });
  },
  async "empty-array"() {
    await using it = await serve();
    const params = { ...opening, capabilities: { sampling: [], roots: [] } };
    const { session, message } = await it.send({ id: 0, method: "initialize", params });
    expect(message).toHaveProperty("result");
    const told = await it.send(
      { id: 1, method: "tools/call", params: { name: "t", arguments: [] } },
      { "mcp-session-id": session ?? "" },
    );
    expect(told.message).toMatchObject({ result: { content: [{ text: "{}" }] } });
  },
  async "blank-lines"() {
    const told = await overStdio(["", "   ", "\t\r", line({ id: 1, method: "ping" })]);
    expect(told).toEqual([{ jsonrpc: "2.0", id: 1, result: {} }]);
  },
  async "accept-events"() {
    const accept = { accept: "text/event-stream" };
    for (const sessions of [true, false]) {
      await using it = await serve({}, sessions);
      const opened = await it.open(accept);
      expect([opened.status, opened.type]).toEqual([200, "text/event-stream"]);
      expect(opened.message).toMatchObject({ id: 0, result: { protocolVersion: legacyRevision } });
      const session = opened.session === null ? {} : { "mcp-session-id": opened.session };
      const call = { id: 1, method: "tools/call", params: { name: "t", arguments: { a: 1 } } };
      const called = await it.send(call, { ...accept, ...session });
      expect([called.type, called.message.id]).toEqual(["text/event-stream", 1]);
      expect(called.message).toMatchObject({ result: { content: [{ text: '{"a":1}' }] } });
      const now = await it.send(
        { ...call, params: { ...call.params, _meta: modern } },
        { ...accept, ...modernHeaders("tools/call", "t") },
      );
      expect([now.type, now.message.id]).toEqual(["text/event-stream", 1]);
      expect((await it.send({ id: 2, method: "no/such" }, { ...accept, ...session })).message).toMatchObject({
        error: { code: -32601 },
      });
    }
  },
  async "initialize-twice"() {
    const twice = [0, 1].map((id) => line({ id, method: "initialize", params: opening }));
    const warned: string[] = [];
    const onError = (error: unknown): void => void warned.push(String(error));
    expect(await overStdio(twice, { onError }, 2)).toMatchObject([{ result: {} }, { result: {} }]);
    expect(warned.join()).toContain("repeatedInitialize");
    expect(await overStdio(twice, { strictness: "strict" }, 2)).toMatchObject([
      { result: {} },
      { error: { code: -32600 } },
    ]);
  },
  async "initialize-dead-session"() {
    await using it = await serve();
    const first = await it.open();
    for (const named of ["dead", first.session ?? ""]) {
      const again = await it.open({ "mcp-session-id": named });
      expect(again.message).toHaveProperty("result");
      expect(again.session).not.toBeNull();
      expect(again.session).not.toBe(named);
    }
  },
  async "level-without-session"() {
    await using it = await serve({}, false);
    const told = await it.send({ id: 1, method: "logging/setLevel", params: { level: "info" } });
    expect(told.message).toMatchObject({ id: 1, result: {} });
  },
  async "batch-without-session"() {
    for (const sessions of [false, true]) {
      await using it = await serve({}, sessions);
      const batch = [
        { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "t", arguments: { a: 1 } } },
        { jsonrpc: "2.0", method: "notifications/x" },
        { jsonrpc: "2.0", id: "two", method: "no/such" },
      ];
      const post = async (body: unknown, headers: Readonly<Record<string, string>> = {}): Promise<Response> =>
        fetch(it.url, {
          method: "POST",
          headers: { "content-type": "application/json", accept: "application/json", ...headers },
          body: JSON.stringify(body),
        });
      const answers = (await (await post(batch)).json()) as { id: unknown }[];
      expect(answers.toSorted((a, b) => String(a.id).localeCompare(String(b.id)))).toMatchObject([
        { id: 1, result: { content: [{ text: '{"a":1}' }] } },
        { id: "two", error: { code: -32601 } },
      ]);
      expect((await post(batch.slice(1, 2))).status).toBe(202);
      const opened = [{ jsonrpc: "2.0", id: 0, method: "initialize", params: opening }];
      expect((await post(opened)).status).toBe(400);
      expect((await post(batch, { "mcp-protocol-version": "2025-06-18" })).status).toBe(400);
    }
  },
  async "uri-form"() {
    await using it = await serve();
    it.server.addResource({ uri: "HTTPS://Example.com:443/a/../%7Euser", name: "r" }, () => "here");
    const { session } = await it.open();
    const headers = { "mcp-session-id": session ?? "" };
    for (const uri of ["HTTPS://Example.com:443/a/../%7Euser", "https://example.com/~user"]) {
      const told = await it.send({ id: 1, method: "resources/read", params: { uri } }, headers);
      expect(told.message, uri).toMatchObject({ result: { contents: [{ text: "here" }] } });
    }
  },
  async "union-input"() {
    await using it = await serve();
    const act = z.discriminatedUnion("action", [
      z.object({ action: z.literal("create"), title: z.string() }),
      z.object({ action: z.literal("delete"), id: z.number() }),
    ]);
    const either = {
      oneOf: [
        { type: "object", required: ["a"] },
        { type: "object", required: ["b"] },
      ],
    };
    it.server.addTool({ name: "act", input: act }, (args) => args.action);
    it.server.addTool({ name: "either", input: either as never }, (args) => JSON.stringify(args));
    const { session } = await it.open();
    const headers = { "mcp-session-id": session ?? "" };
    const listed = await it.send({ id: 1, method: "tools/list" }, headers);
    const { tools } = listed.message.result as { tools: { name: string; inputSchema: { type: string } }[] };
    expect(tools.map(({ inputSchema }) => inputSchema.type)).toEqual(["object", "object", "object"]);
    expect(JSON.stringify(tools)).toMatch(/create.*title.*delete/);
    const call = async (name: string, args: object): Promise<object | undefined> =>
      (await it.send({ id: 2, method: "tools/call", params: { name, arguments: args } }, headers)).message
        .result;
    expect(await call("act", { action: "delete", id: 5 })).toMatchObject({ content: [{ text: "delete" }] });
    expect(await call("act", { action: "delete", title: "x" })).toMatchObject({ isError: true });
    expect(await call("either", { a: 1 })).toMatchObject({ content: [{ text: '{"a":1}' }] });
    expect(await call("either", { a: 1, b: 1 })).toMatchObject({ isError: true });
  },
};

test.each(Object.entries(cases))("a server copes with %s", async (name, run) => {
  expect(rows).toHaveProperty([name]);
  await run();
});
