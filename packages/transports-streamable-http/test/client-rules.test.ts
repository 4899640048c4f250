import { inspect } from "node:util";

import type { Connection, Incoming } from "@tenon/jsonrpc2";
import { legacyRevision, modernRevision } from "@tenon/test-support";
import {
  StreamableClientTransport,
  type ListeningState,
  type StreamableClientOptions,
} from "@tenon/transports-streamable-http/client";
import { expect, test } from "vitest";

import { badServer, json, type Bad } from "./bad-server.ts";
import { initialize, meta, peerOf } from "./raw-client.ts";

const bothTypes = "application/json, text/event-stream";

/** A legacy server with a session, whose other answers are those of a test. */
function sessionServer(answer: Parameters<typeof badServer>[0]): Promise<Bad> {
  return badServer((message, response, request) => {
    if (message.method === "initialize") {
      const { params } = message as { params?: { protocolVersion?: string } };
      json(
        response,
        message.id,
        { protocolVersion: params?.protocolVersion, capabilities: {} },
        { "mcp-session-id": "the-session" },
      );
    } else if (message.method?.startsWith("notifications/") === true) {
      response.writeHead(202).end();
    } else if (request.method === "DELETE") {
      response.writeHead(204).end();
    } else {
      answer(message, response, request);
    }
  });
}

const noStream: Parameters<typeof badServer>[0] = ({ id }, response, request) =>
  request.method === "GET" ? response.writeHead(405).end() : json(response, id, {});

test("S-038, S-237: a URL is all it takes, and nothing is sent before the first message", async () => {
  await using server = await badServer(({ id }, response) => json(response, id, {}));
  const transport = new StreamableClientTransport(server.url.href);
  const connection = await transport.connect();
  const silent = await transport.connect();
  await silent.close();
  expect(server.seen).toEqual([]);
  const written = connection.write({ jsonrpc: "2.0", id: 1, method: "ping" });
  expect(await connection.read()).toMatchObject({ id: 1 });
  await written;
  expect(server.seen).toHaveLength(1);
  await connection.close();
});

test("a URL of another protocol is refused when it is given", () => {
  expect(() => new StreamableClientTransport("localhost:3000/mcp")).toThrow(
    'Did you mean "http://localhost:3000/mcp"?',
  );
});

test("R-284, R-288, S-240: every POST is JSON and accepts both kinds of answers", async () => {
  await using server = await sessionServer(noStream);
  await using peer = await peerOf(server.url);
  await peer.call("tools/list", { _meta: meta });
  await initialize(peer);
  await peer.call("ping", {});
  const posts = server.seen.filter(({ method }) => method === "POST");
  expect(posts).toHaveLength(4);
  for (const { headers } of posts) {
    expect(headers).toMatchObject({ accept: bothTypes, "content-type": "application/json" });
  }
});

test("R-287, S-238: one message of JSON, many of a stream and the 202 of a notification are all understood", async () => {
  await using server = await badServer(({ id, method }, response) => {
    if (method === "stream") {
      response.writeHead(200, { "content-type": "text/event-stream; charset=utf-8" });
      response.write(": comment\n\n");
      for (let step = 0; step < 3; step++) {
        response.write(
          `data: {"jsonrpc":"2.0","method":"notifications/message","params":{"step":${step}}}\n\n`,
        );
      }
      response.end(`event: message\ndata: ${JSON.stringify({ jsonrpc: "2.0", id, result: "streamed" })}\n\n`);
    } else if (id === undefined) {
      response.writeHead(202).end();
    } else {
      json(response, id, "plain");
    }
  });
  await using connection = await new StreamableClientTransport(server.url, { eras: false }).connect();
  const read = async (count: number): Promise<unknown[]> => {
    const messages: (Incoming | undefined)[] = [];
    while (messages.length < count) {
      messages.push(await connection.read());
    }
    return messages;
  };
  const plain = connection.write({ jsonrpc: "2.0", id: 1, method: "plain" });
  expect(await read(1)).toMatchObject([{ id: 1, result: "plain" }]);
  const stream = connection.write({ jsonrpc: "2.0", id: 2, method: "stream" });
  expect(await read(4)).toMatchObject([
    { params: { step: 0 } },
    { params: { step: 1 } },
    { params: { step: 2 } },
    { id: 2, result: "streamed" },
  ]);
  await Promise.all([plain, stream, connection.write({ jsonrpc: "2.0", method: "notifications/x" })]);
});

test("R-289: a modern notification names its revision and its method", async () => {
  await using server = await badServer((_, response) => response.writeHead(202).end());
  await using peer = await peerOf(server.url);
  await peer.notify("notifications/x", { _meta: meta });
  expect(server.seen[0]?.headers).toMatchObject({
    "mcp-protocol-version": modernRevision,
    "mcp-method": "notifications/x",
  });
});

test("R-295: a broken stream of the modern era loses its request; the next try is a new one with an id of its own", async () => {
  let broken = true;
  await using server = await badServer(({ id }, response) => {
    if (broken) {
      broken = false;
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.end('id: 1-1\ndata: {"jsonrpc":"2.0","method":"notifications/message","params":{}}\n\n');
    } else {
      json(response, id, "done");
    }
  });
  await using peer = await peerOf(server.url, { reconnect: { initialDelayMs: 1 } });
  await expect(peer.call("tools/list", { _meta: meta })).rejects.toMatchObject({ code: "NETWORK" });
  expect(await peer.call("tools/list", { _meta: meta })).toBe("done");
  expect(server.seen.map(({ method }) => method)).toEqual(["POST", "POST"]);
  expect(server.seen[0]?.message.id).not.toBe(server.seen[1]?.message.id);
  expect(server.seen.some(({ headers }) => "last-event-id" in headers)).toBe(false);
});

test("R-321, R-322: annotated arguments become headers at their exact place, and absent ones or null do not", async () => {
  const region = { type: "string", "x-mcp-header": "Region" };
  const inputSchema = {
    type: "object",
    properties: {
      where: { type: "object", properties: { region } },
      count: { type: "integer", "x-mcp-header": "Count" },
      dry: { type: "boolean", "x-mcp-header": "Dry" },
    },
  };
  await using server = await badServer(({ id, method }, response) =>
    json(response, id, method === "tools/list" ? { tools: [{ name: "t", inputSchema }] } : { content: [] }),
  );
  await using peer = await peerOf(server.url);
  await peer.call("tools/list", { _meta: meta });
  const headersOf = async (args: object): Promise<object> => {
    await peer.call("tools/call", { name: "t", arguments: args, _meta: meta });
    const headers = Object.entries(server.seen.at(-1)?.headers ?? {});
    return Object.fromEntries(headers.filter(([name]) => name.startsWith("mcp-param-")));
  };
  expect(await headersOf({ where: { region: "eu" }, count: -7, dry: false })).toEqual({
    "mcp-param-region": "eu",
    "mcp-param-count": "-7",
    "mcp-param-dry": "false",
  });
  expect(await headersOf({ where: { region: null }, region: "elsewhere" })).toEqual({});
  expect(await headersOf({ where: { region: "=?base64?eA==?=" } })).toEqual({
    "mcp-param-region": `=?base64?${btoa("=?base64?eA==?=")}?=`,
  });
});

test("R-328: a call of a tool that was never listed carries no Mcp-Param headers, later calls those of the newest list", async () => {
  let header = "Old";
  await using server = await badServer(({ id, method }, response) => {
    const inputSchema = { type: "object", properties: { x: { type: "string", "x-mcp-header": header } } };
    json(response, id, method === "tools/list" ? { tools: [{ name: "t", inputSchema }] } : { content: [] });
  });
  await using peer = await peerOf(server.url);
  const call = async (): Promise<string[]> => {
    await peer.call("tools/call", { name: "t", arguments: { x: "1" }, _meta: meta });
    return Object.keys(server.seen.at(-1)?.headers ?? {}).filter((name) => name.startsWith("mcp-param-"));
  };
  expect(await call()).toEqual([]);
  await peer.call("tools/list", { _meta: meta });
  expect(await call()).toEqual(["mcp-param-old"]);
  header = "New";
  await peer.call("tools/list", { _meta: meta });
  expect(await call()).toEqual(["mcp-param-new"]);
});

test.each([413, 431])(
  "R-331: the status %i fails its call and says so, and the next call is served",
  async (status) => {
    let refuse = true;
    await using server = await badServer(({ id }, response) => {
      if (refuse) {
        response.writeHead(status).end();
      } else {
        json(response, id, "done");
      }
    });
    await using peer = await peerOf(server.url);
    await expect(peer.call("tools/list", { _meta: meta })).rejects.toMatchObject({ code: "STATUS", status });
    refuse = false;
    expect(await peer.call("tools/list", { _meta: meta })).toBe("done");
  },
);

test("R-351: the time that a server asks for is waited before the stream is asked for again", async () => {
  const states: ListeningState[] = [];
  let waiting = (): void => {};
  const waited = new Promise<void>((resolve) => {
    waiting = resolve;
  });
  await using server = await sessionServer((_, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.end("id: 0-1\nretry: 60000\ndata: \n\n");
  });
  await using peer = await peerOf(server.url, {
    reconnect: { initialDelayMs: 1 },
    onListening: (state) => {
      states.push(state);
      if (state.state === "waiting") {
        waiting();
      }
    },
  });
  await initialize(peer);
  await waited;
  const delay = states.find((state) => state.state === "waiting")?.delayMs ?? 0;
  expect(delay).toBeGreaterThanOrEqual(60_000);
  expect(delay).toBeLessThanOrEqual(66_000);
});

test("R-351, R-360: the stream of an answer that the server has closed is asked for again, from where it was", async () => {
  await using server = await sessionServer(({ id, method }, response, request) => {
    if (method === "slow") {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.end("id: 1-1\nretry: 50\ndata: \n\n");
    } else if (request.headers["last-event-id"] === "1-1") {
      response.writeHead(200, { "content-type": "text/event-stream" });
      const asked = server.seen.find(({ message }) => message.method === "slow")?.message.id;
      response.end(`id: 1-2\ndata: ${JSON.stringify({ jsonrpc: "2.0", id: asked, result: "done" })}\n\n`);
    } else if (request.method === "GET") {
      response.writeHead(405).end();
    } else {
      json(response, id, {});
    }
  });
  await using peer = await peerOf(server.url);
  await initialize(peer);
  expect(await peer.call("slow", {})).toBe("done");
});

test("R-354, R-358: a stream of the session is open besides those of several answers", async () => {
  let open = 0;
  let allOpen = (): void => {};
  const together = new Promise<void>((resolve) => {
    allOpen = resolve;
  });
  await using server = await sessionServer(({ id }, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.flushHeaders();
    open++;
    if (open === 4) {
      allOpen();
    }
    if (id !== undefined) {
      void together.then(() =>
        response.end(`data: ${JSON.stringify({ jsonrpc: "2.0", id, result: "done" })}\n\n`),
      );
    }
  });
  await using peer = await peerOf(server.url);
  await initialize(peer);
  const answers = await Promise.all(["a", "b", "c"].map((method) => peer.call(method, {})));
  expect(answers).toEqual(["done", "done", "done"]);
  const get = server.seen.find(({ method }) => method === "GET");
  expect(get?.headers.accept).toBe("text/event-stream");
});

test("R-362, R-366, R-367, S-239: after the handshake every request names the session and the revision, and DELETE ends it", async () => {
  await using server = await sessionServer(noStream);
  const peer = await peerOf(server.url);
  await initialize(peer);
  await peer.call("ping", {});
  await peer.notify("notifications/x", {});
  await peer.close();
  const [first, ...rest] = server.seen;
  expect(first?.headers).not.toHaveProperty("mcp-session-id");
  expect(rest.map(({ method }) => method)).toEqual(expect.arrayContaining(["POST", "GET", "DELETE"]));
  for (const { headers } of rest) {
    expect(headers).toMatchObject({
      "mcp-session-id": "the-session",
      "mcp-protocol-version": legacyRevision,
    });
  }
  expect(server.seen.at(-1)?.method).toBe("DELETE");
});

test("R-362: the id of a session is a secret: no error says it", async () => {
  await using server = await sessionServer((_message, response) => response.writeHead(500).end());
  await using peer = await peerOf(server.url);
  await initialize(peer);
  const error = await peer.call("ping", {}).catch((reason: unknown) => reason);
  expect(error).toMatchObject({ code: "STATUS", status: 500 });
  expect(server.seen.at(-1)?.headers["mcp-session-id"]).toBe("the-session");
  expect(inspect(error, { depth: Infinity })).not.toContain("the-session");
});

test("R-366: a server that does not end sessions on request is left in peace", async () => {
  await using server = await badServer((message, response, request) => {
    if (message.method === "initialize") {
      json(
        response,
        message.id,
        { protocolVersion: legacyRevision, capabilities: {} },
        { "mcp-session-id": "s" },
      );
    } else {
      response.writeHead(request.method === "POST" ? 202 : 405).end();
    }
  });
  const peer = await peerOf(server.url);
  await initialize(peer);
  await peer.close();
  expect(server.seen.filter(({ method }) => method === "DELETE")).toHaveLength(1);
});

const opened: NonNullable<StreamableClientOptions["fallback"]> = () => ({
  connect: () => Promise.resolve(oldConnection()),
});

/** What the transport of 2024-11-05 would be: answers the handshake. */
function oldConnection(): Connection {
  let answer: (incoming: Incoming | undefined) => void = () => {};
  return {
    read: () =>
      new Promise((resolve) => {
        answer = resolve;
      }),
    write: (message) => {
      if ("id" in message) {
        answer({ jsonrpc: "2.0", id: message.id as number, result: { protocolVersion: "2024-11-05" } });
      }
      return Promise.resolve();
    },
    close: () => {
      answer(undefined);
      return Promise.resolve();
    },
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
}

test.each([
  [400, true],
  [404, true],
  [405, true],
  [401, false],
  [403, false],
  [500, false],
])(
  "R-385: the status %i of the handshake lets a client try the transport of 2024-11-05: %s",
  async (status, falls) => {
    await using server = await badServer((_, response) => response.writeHead(status).end("no"));
    await using peer = await peerOf(server.url, { fallback: opened });
    const handshake = peer.call("initialize", { protocolVersion: "2025-11-25", capabilities: {} });
    if (falls) {
      expect(await handshake).toEqual({ protocolVersion: "2024-11-05" });
    } else {
      await expect(handshake).rejects.toMatchObject({ status });
    }
  },
);

test("R-385: an error in JSON-RPC is an answer, whatever its status: there is nothing to fall back from", async () => {
  await using server = await badServer(({ id }, response) => {
    response.writeHead(400, { "content-type": "application/json" });
    response.end(JSON.stringify({ jsonrpc: "2.0", id, error: { code: -32022, message: "no", data: {} } }));
  });
  await using peer = await peerOf(server.url, { fallback: opened });
  const handshake = peer.call("initialize", { protocolVersion: legacyRevision, capabilities: {} });
  await expect(handshake).rejects.toMatchObject({ code: -32022 });
});

test.each([
  ["not one that a header can carry", "\u2603", undefined],
  ["longer than any header", "a".repeat(100_000), undefined],
  ["empty", "", undefined],
  ["usual", "0-17", "0-17"],
])("R-351: a stream is asked for again also if the id of its last event is %s", async (_, id, sent) => {
  let asked = 0;
  let again = (_header: unknown): void => {};
  const header = new Promise<unknown>((resolve) => {
    again = resolve;
  });
  await using server = await sessionServer((_message, response, request) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    asked++;
    if (asked === 1) {
      response.end(`id: 0-1\ndata: \n\nid: ${id}\ndata: \n\n`);
    } else {
      again(request.headers["last-event-id"]);
    }
  });
  await using peer = await peerOf(server.url, { reconnect: { initialDelayMs: 1 } });
  await initialize(peer);
  expect(await header).toBe(sent);
});

test("R-354, R-360: a listening stream that cannot be resumed is opened anew, and what was missed is no secret", async () => {
  let heard = (): void => {};
  const news = new Promise<void>((resolve) => {
    heard = resolve;
  });
  const asked: unknown[] = [];
  await using server = await badServer(({ id, method }, response, request) => {
    if (request.method === "GET") {
      const after = request.headers["last-event-id"];
      asked.push(after);
      if (after !== undefined) {
        response.writeHead(400).end("unknown event");
        return;
      }
      response.writeHead(200, { "content-type": "text/event-stream" });
      if (asked.length === 1) {
        response.end('retry: 0\nid: 7\ndata: {"jsonrpc":"2.0","method":"old"}\n\n');
      } else {
        response.write('data: {"jsonrpc":"2.0","method":"news"}\n\n');
      }
    } else if (method === "initialize") {
      json(response, id, { protocolVersion: legacyRevision, capabilities: {} });
    } else {
      response.writeHead(202).end();
    }
  });
  const warnings: string[] = [];
  await using peer = await peerOf(
    server.url,
    { reconnect: { initialDelayMs: 1 }, onWarning: (warning) => warnings.push(warning) },
    (method) => {
      if (method === "news") {
        heard();
      }
    },
  );
  await initialize(peer);
  await news;
  expect(asked).toEqual([undefined, "7", undefined]);
  expect(warnings).toEqual([expect.stringContaining("missed")]);
});

test("what is no message is not answered by a POST without an id, which servers refuse", async () => {
  await using server = await badServer(({ id, method }, response) => {
    if (method === "first") {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.end(
        `data: {}\n\ndata: [1]\n\ndata: nonsense\n\ndata: {"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{}}\n\n`,
      );
    } else {
      json(response, id, {});
    }
  });
  await using peer = await peerOf(server.url);
  await peer.call("first", {});
  await peer.call("second", {});
  expect(server.seen.map(({ message }) => message.method)).toEqual(["first", "second"]);
});

test.each(["2025-03-26", "2025-06-18", "2025-11-25"])(
  "R-346: a client of %s posts every message by itself, as one object",
  async (version) => {
    await using server = await sessionServer(noStream);
    const peer = await peerOf(server.url);
    await initialize(peer, version);
    await Promise.all([
      ...["tools/list", "prompts/list", "resources/list"].map((method) => peer.call(method, {})),
      ...["notifications/a", "notifications/b"].map((method) => peer.notify(method, {})),
    ]);
    await peer.close();
    const posts = server.seen.filter(({ method }) => method === "POST").map(({ message }) => message);
    expect(posts.some((message) => Array.isArray(message))).toBe(false);
    expect(posts.map(({ method }) => String(method)).toSorted()).toEqual([
      "initialize",
      "notifications/a",
      "notifications/b",
      "notifications/initialized",
      "prompts/list",
      "resources/list",
      "tools/list",
    ]);
  },
);
