import {
  createServer,
  type IncomingMessage,
  type Server as HttpServer,
  type ServerResponse,
} from "node:http";

import type { Connection, Incoming, Message } from "@tenon/jsonrpc2";
import { legacyRevision } from "@tenon/test-support";
import { originOnFreePort } from "@tenon/test-support/http";
import { expect, test } from "vitest";

import { Manager, type ServerSpec } from "../src/index.ts";
import { nodeTransports } from "../src/node.ts";
import { until } from "./fixture.ts";

// What the host's transports promise to a client that is made of nothing but messages: no SDK on
// the other side, only bytes.

/** One request as it came. */
interface Seen {
  readonly method: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

interface Far extends AsyncDisposable {
  readonly url: string;
  readonly seen: Seen[];
}

/** A server over HTTP that notes each request and answers it as it is told. */
async function listen(
  answer: (request: Seen, response: ServerResponse) => void,
): Promise<Far & { readonly http: HttpServer }> {
  const seen: Seen[] = [];
  const http = createServer((request, response) => {
    let body = "";
    request.setEncoding("utf8").on("data", (text: string) => {
      body += text;
    });
    request.on("end", () => {
      const one = { method: request.method ?? "", headers: request.headers, body };
      seen.push(one);
      answer(one, response);
    });
  });
  const origin = await originOnFreePort(http);
  return {
    http,
    seen,
    url: `${origin}/mcp`,
    [Symbol.asyncDispose]() {
      http.closeAllConnections();
      http.close();
      return Promise.resolve();
    },
  };
}

const request = (id: number, method = "echo"): Message => ({ jsonrpc: "2.0", id, method, params: { n: id } });
const answerTo = (body: string): string => {
  const { id, params } = JSON.parse(body) as { id: number; params: unknown };
  return JSON.stringify({ jsonrpc: "2.0", id, result: params });
};
const json = { "content-type": "application/json" };
const events = { "content-type": "text/event-stream" };

/** An echo over each transport, and the bytes that came to it. */
const echoes: Readonly<Record<"stdio" | "http" | "sse", () => Promise<Far & { readonly spec: Remote }>>> = {
  async stdio() {
    // Answers each line, and says on standard error what it was made of.
    const program = `process.stdin.setEncoding("utf8").on("data", (text) => { for (const line of text.split("\\n").slice(0, -1)) {
      const { id, params } = JSON.parse(line); console.log(JSON.stringify({ jsonrpc: "2.0", id, result: params })); } });`;
    return {
      url: "",
      seen: [],
      spec: { type: "stdio", command: process.execPath, args: ["-e", program] },
      [Symbol.asyncDispose]: () => Promise.resolve(),
    };
  },
  async http() {
    const far = await listen(({ method, body }, response) => {
      if (method === "POST") {
        response.writeHead(200, json).end(answerTo(body));
      } else {
        response.writeHead(405).end();
      }
    });
    return Object.assign(far, { spec: { type: "http" as const, url: far.url } });
  },
  async sse() {
    let stream: ServerResponse | undefined;
    const far = await listen(({ method, body }, response) => {
      if (method === "GET") {
        stream = response;
        response.writeHead(200, events).write("event: endpoint\ndata: /post\n\n");
      } else {
        response.writeHead(202).end();
        stream?.write(`event: message\ndata: ${answerTo(body)}\n\n`);
      }
    });
    return Object.assign(far, { spec: { type: "sse" as const, url: far.url } });
  },
};

type Remote = Exclude<ServerSpec, { type: "custom" }>;

/** A connection by a transport as the host makes it. */
function connect(spec: Remote, onSessionRestored: () => void = () => {}): Promise<Connection> {
  return nodeTransports()("far", spec, { onSessionRestored }).connect();
}

const kinds = ["stdio", "http", "sse"] as const;

test.each(kinds)(
  "S-208, S-209, S-210, S-211: %s sends and receives whole messages, ends normally for its reader, and closes twice",
  async (kind) => {
    await using far = await echoes[kind]();
    const connection = await connect(far.spec);
    for (const id of [1, 2]) {
      const reading = connection.read();
      await connection.write(request(id));
      expect(await reading).toEqual({ jsonrpc: "2.0", id, result: { n: id } });
    }
    // S-209: the message is without a newline; what frames it is the transport's business.
    const bodies = far.seen.flatMap(({ body }) => (body === "" ? [] : [body]));
    expect(bodies).toEqual(kind === "stdio" ? [] : [1, 2].map((id) => JSON.stringify(request(id))));
    // S-210: a reader that waits when the end comes is told so by the lack of a message, and not by
    // an error.
    const last = connection.read();
    await connection.close();
    expect(await last).toBeUndefined();
    // S-211
    await connection.close();
    expect(await connection.read()).toBeUndefined();
  },
);

test("S-209: over stdio each message is one line, whatever it holds", async () => {
  const program = `process.stdin.setEncoding("utf8").on("data", (text) => console.log(JSON.stringify({ jsonrpc: "2.0", method: "raw", params: { text } })));`;
  const connection = await connect({ type: "stdio", command: process.execPath, args: ["-e", program] });
  const message: Message = { jsonrpc: "2.0", method: "note", params: { text: "one\ntwo\u2028three" } };
  await connection.write(message);
  const { params } = (await connection.read()) as Extract<Incoming, { params?: unknown }> & {
    params: { text: string };
  };
  expect(params.text).toBe(`${JSON.stringify(message)}\n`);
  await connection.close();
});

test("S-210: a program that fails ends its reader with an error, one that ends does not", async () => {
  const note = 'console.log(JSON.stringify({ jsonrpc: "2.0", method: "note" }))';
  const ended = await connect({ type: "stdio", command: process.execPath, args: ["-e", note] });
  expect(await ended.read()).toEqual({ jsonrpc: "2.0", method: "note" });
  expect(await ended.read()).toBeUndefined();
  const failed = await connect({ type: "stdio", command: process.execPath, args: ["-e", "process.exit(3)"] });
  await expect(failed.read()).rejects.toMatchObject({ code: "CONNECTION_CLOSED" });
  await Promise.all([ended.close(), failed.close()]);
});

test("S-214: what a server says first, before anybody asks it anything, is heard and answered", async () => {
  // Speaks 2025-11-25, and pings as soon as it may; the answer goes to standard error.
  const program = `const say = (m) => console.log(JSON.stringify({ jsonrpc: "2.0", ...m }));
    process.stdin.setEncoding("utf8").on("data", (text) => { for (const line of text.split("\\n").slice(0, -1)) {
      const m = JSON.parse(line);
      if (m.method === "initialize") say({ id: m.id, result: { protocolVersion: "2025-11-25", capabilities: {}, serverInfo: { name: "s", version: "1" } } });
      else if (m.method === "notifications/initialized") say({ id: "first", method: "ping" });
      else if (m.id === "first") console.error("answered " + JSON.stringify(m.result));
      else if (m.id !== undefined) say({ id: m.id, error: { code: -32601, message: "no" } });
    } });`;
  const lines: string[] = [];
  await using manager = new Manager({
    servers: { a: { type: "stdio", command: process.execPath, args: ["-e", program] } },
    transports: nodeTransports({ onStderr: (_, line) => lines.push(line) }),
  });
  await manager.connect("a");
  await until(() => lines.length > 0);
  expect(lines).toEqual(["answered {}"]);
});

test("S-236: over SSE a message is sent when the server has taken it; its answer comes later, on the stream", async () => {
  const held: string[] = [];
  let stream: ServerResponse | undefined;
  await using far = await listen(({ method, body }, response) => {
    if (method === "GET") {
      stream = response;
      response.writeHead(200, events).write("event: endpoint\ndata: /post?session=1\n\n");
    } else {
      held.push(body);
      response.writeHead(202).end();
    }
  });
  const connection = await connect({ type: "sse", url: far.url });
  const reading = connection.read();
  await connection.write(request(1));
  expect(held).toEqual([JSON.stringify(request(1))]);
  stream?.write(`event: message\ndata: ${answerTo(held[0] ?? "")}\n\n`);
  expect(await reading).toMatchObject({ id: 1, result: { n: 1 } });
  await connection.close();
});

test("S-237: over Streamable HTTP nothing is sent before the first message", async () => {
  await using far = await listen((_, response) => response.writeHead(200, json).end("{}"));
  const connection = await connect({ type: "http", url: far.url });
  const reading = connection.read();
  await connection.close();
  expect(await reading).toBeUndefined();
  expect(far.seen).toEqual([]);
});

test("S-238, S-239, S-240, S-283: JSON, an event stream and 202 are understood; each request has its headers and the session's", async () => {
  await using far = await listen(({ method, body }, response) => {
    const message = body === "" ? {} : (JSON.parse(body) as { id?: number; method?: string });
    if (method !== "POST") {
      response.writeHead(405).end();
    } else if (message.method === "initialize") {
      const result = {
        protocolVersion: legacyRevision,
        capabilities: {},
        serverInfo: { name: "s", version: "1" },
      };
      response
        .writeHead(200, { ...json, "mcp-session-id": "session-7" })
        .end(JSON.stringify({ jsonrpc: "2.0", id: message.id, result }));
    } else if (message.method === "many") {
      const note = { jsonrpc: "2.0", method: "notifications/message", params: { level: "info", data: 1 } };
      response
        .writeHead(200, events)
        .end(
          `data: ${JSON.stringify(note)}\n\ndata: ${JSON.stringify({ ...note, method: "x/two" })}\n\ndata: ${answerTo(body)}\n\n`,
        );
    } else if (message.method === "wrong") {
      const error = { code: -32602, message: "no such thing", data: { hint: [1] } };
      response.writeHead(200, json).end(JSON.stringify({ jsonrpc: "2.0", id: message.id, error }));
    } else if (message.id === undefined) {
      response.writeHead(202).end();
    } else {
      response.writeHead(200, json).end(answerTo(body));
    }
  });
  const connection = await connect({ type: "http", url: far.url });
  const initialize: Message = {
    jsonrpc: "2.0",
    id: 0,
    method: "initialize",
    params: { protocolVersion: legacyRevision, capabilities: {}, clientInfo: { name: "c", version: "1" } },
  };
  await connection.write(initialize);
  expect(await connection.read()).toMatchObject({ id: 0, result: { protocolVersion: legacyRevision } });
  // 202: accepted, and no message comes of it.
  await connection.write({ jsonrpc: "2.0", method: "notifications/initialized" });
  // One message as JSON.
  await connection.write(request(1));
  expect(await connection.read()).toEqual({ jsonrpc: "2.0", id: 1, result: { n: 1 } });
  // Many as events, in their order.
  await connection.write(request(2, "many"));
  expect([await connection.read(), await connection.read(), await connection.read()]).toMatchObject([
    { method: "notifications/message", params: { level: "info" } },
    { method: "x/two" },
    { id: 2, result: { n: 2 } },
  ]);
  // S-283: an error has its code, message and data.
  await connection.write(request(3, "wrong"));
  expect(await connection.read()).toEqual({
    jsonrpc: "2.0",
    id: 3,
    error: { code: -32602, message: "no such thing", data: { hint: [1] } },
  });
  await connection.close();
  const posts = far.seen.filter(({ method }) => method === "POST");
  expect(posts.map(({ headers }) => headers["mcp-session-id"])).toEqual([
    undefined,
    ...Array.from({ length: posts.length - 1 }, () => "session-7"),
  ]);
  for (const { headers } of posts) {
    expect(headers["content-type"]).toMatch(/^application\/json/);
    expect(headers.accept).toContain("application/json");
    expect(headers.accept).toContain("text/event-stream");
  }
});
