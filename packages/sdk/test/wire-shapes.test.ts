import { join } from "node:path";

import { encode, wrapTransport, type Outgoing, type Transport } from "@tenon/jsonrpc2";
import { Client, Server } from "@tenon/mcp";
import { latestLegacy, type Revision } from "@tenon/protocol";
import { legacyRevision, modernRevision } from "@tenon/test-support";
import { CommandTransport, type CommandConnection } from "@tenon/transports-stdio";
import { StreamableClientTransport } from "@tenon/transports-streamable-http/client";
import { createStreamableHandler } from "@tenon/transports-streamable-http/server";
import { expect, onTestFinished, test } from "vitest";

import { shapes } from "./shapes.ts";

interface Sent {
  readonly id?: unknown;
  readonly method?: string;
}

/** Notes each message that the server sends. */
function listened(inner: Transport, messages: Sent[]): Transport {
  return wrapTransport(inner, {
    onRead: (message) => {
      messages.push(JSON.parse(encode(message as Outgoing)) as Sent);
      return message;
    },
  });
}

/** Starts the program `asking-server.mjs`. */
function programTransport(stderr: (line: string) => void = () => {}): CommandTransport {
  const program = join(import.meta.dirname, "fixtures/asking-server.mjs");
  return new CommandTransport({ command: process.execPath, args: [program], stderr });
}

const form = { type: "object", properties: { name: { type: "string" } }, required: ["name"] } as const;

function askingClient(revision: Revision): Client {
  return new Client(
    { name: "client", version: "1.0.0" },
    {
      revisions: [revision],
      logLevel: "debug",
      onLog: () => {},
      roots: [{ uri: "file:///work" }],
      elicitation: { form: () => ({ action: "accept", content: { name: "Ada" } }) },
    },
  );
}

test.each(["memory", "stdio", "port", "modern"])(
  "a modern server sends no requests, though a tool asks for input and roots, over %s (R-257, R-121)",
  async (name) => {
    const server = new Server({ name: "server", version: "1.0.0" }, { logging: true });
    server.addTool({ name: "ask" }, async (_, context) => {
      await context.log("info", "asking");
      const { action } = await context.elicit({ message: "Who?", requestedSchema: form });
      return `${action} ${(await context.listRoots()).length}`;
    });
    const endpoint = shapes[name]?.serve(server) ?? expect.fail(name);
    onTestFinished(() => endpoint.close());
    const messages: Sent[] = [];
    const { transport } = await endpoint.client();
    const session = await askingClient(modernRevision).connect(listened(transport, messages));
    const { content } = await session.callTool({ name: "ask" });
    expect(content).toEqual([{ type: "text", text: "accept 1" }]);
    await session.close();
    expect(messages.length).toBeGreaterThan(2);
    expect(messages.filter(({ id, method }) => id !== undefined && method !== undefined)).toEqual([]);
  },
);

test("the program of a modern server writes no requests to standard output, and its logs as UTF-8 to standard error (R-254, R-257)", async () => {
  const lines: string[] = [];
  const messages: Sent[] = [];
  const transport = programTransport((line) => lines.push(line));
  const session = await askingClient(modernRevision).connect(listened(transport, messages));
  const { content } = await session.callTool({ name: "ask" });
  await session.close();
  expect(content).toEqual([{ type: "text", text: "accept 1" }]);
  // Each run of the handler logs.
  expect(new Set(lines)).toEqual(new Set(["Größe 漢字 👍"]));
  expect(messages.length).toBeGreaterThan(2);
  expect(messages.filter(({ id, method }) => id !== undefined && method !== undefined)).toEqual([]);
});

test.each(Object.keys(shapes).filter((name) => !["no GET", "store"].includes(name)))(
  "a server without legacy versions answers initialize with the versions that it supports, over %s (R-220)",
  async (name) => {
    const server = new Server({ name: "server", version: "1.0.0" }, { revisions: [modernRevision] });
    const endpoint = shapes[name]?.serve(server) ?? expect.fail(name);
    onTestFinished(() => endpoint.close());
    const { transport } = await endpoint.client();
    const connection = await transport.connect();
    await connection.write({
      jsonrpc: "2.0",
      id: 1,
      method: "initialize",
      params: {
        protocolVersion: latestLegacy,
        capabilities: {},
        clientInfo: { name: "old", version: "1.0.0" },
      },
    });
    expect(await connection.read()).toMatchObject({
      id: 1,
      error: { code: -32602, data: { supported: [modernRevision] } },
    });
    await connection.close();
  },
);

test("a legacy session with a program ends without a message: the client closes the stream, and the program ends (R-172)", async () => {
  const sent: object[] = [];
  let ended: CommandConnection["exited"] | undefined;
  const program = programTransport();
  const transport = wrapTransport(
    {
      async connect(options) {
        const connection = await program.connect(options);
        ended = connection.exited;
        return connection;
      },
    },
    { onWrite: (message) => (sent.push(message), message) },
  );
  const session = await askingClient(legacyRevision).connect(transport);
  await session.ping();
  const before = sent.length;
  await session.close();
  expect(await ended).toEqual({ code: 0, signal: null });
  expect(before).toBeGreaterThan(0);
  expect(sent).toHaveLength(before);
});

test("a legacy session over HTTP ends without a message: the client sends DELETE, and the server ends (R-172)", async () => {
  const server = new Server({ name: "server", version: "1.0.0" });
  const handler = createStreamableHandler({ getServer: () => server, sessions: {} });
  onTestFinished(() => handler.close({ drainMs: 0 }));
  const requests: string[] = [];
  const transport = new StreamableClientTransport("http://localhost/mcp", {
    eras: false,
    fetch: async (input, init) => {
      const request = new Request(input, init);
      requests.push(request.method === "POST" ? `POST ${await request.clone().text()}` : request.method);
      return handler.fetch(request);
    },
  });
  const session = await askingClient(legacyRevision).connect(transport);
  await session.ping();
  const [ended] = [...server.sessions()].map((one) => one.wait());
  const posts = requests.filter((request) => request.startsWith("POST")).length;
  await session.close();
  await ended;
  expect(requests.at(-1)).toBe("DELETE");
  expect(requests.filter((request) => request.startsWith("POST"))).toHaveLength(posts);
  expect([...server.sessions()]).toEqual([]);
});
