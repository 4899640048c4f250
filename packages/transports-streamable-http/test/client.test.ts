import { Peer } from "@tenon/jsonrpc2";
import { createVirtualClock } from "@tenon/jsonrpc2/testing";
import { legacyRevision, modernRevision } from "@tenon/test-support";
import {
  createEraCache,
  staticToken,
  StreamableClientTransport,
  type ListeningState,
} from "@tenon/transports-streamable-http/client";
import { expect, test } from "vitest";

import { badServer, json } from "./bad-server.ts";
import { cancellation, initialize, meta, peerOf } from "./raw-client.ts";
import { echo, listen } from "./setup.ts";

test("R-310, R-313, R-322, R-323: a modern request carries what its body says", async () => {
  await using server = await badServer(({ id }, response) => json(response, id, {}));
  await using peer = await peerOf(server.url);
  await peer.call("tools/call", { name: "größe", _meta: meta });
  await peer.call("resources/read", { uri: "file:///a b", _meta: meta });
  expect(server.seen.map(({ headers }) => headers)).toMatchObject([
    {
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": modernRevision,
      "mcp-method": "tools/call",
      "mcp-name": "=?base64?Z3LDtsOfZQ==?=",
    },
    { "mcp-method": "resources/read", "mcp-name": "file:///a b" },
  ]);
});

test("S-242: the auth provider is asked for every request", async () => {
  await using server = await badServer(({ id }, response) => json(response, id, {}));
  let asked = 0;
  const auth = {
    headers: () => {
      asked++;
      return { authorization: `Bearer ${asked}` };
    },
  };
  await using peer = await peerOf(server.url, { auth });
  await peer.call("ping", {});
  await peer.call("ping", {});
  expect(server.seen.map(({ headers }) => headers.authorization)).toEqual(["Bearer 1", "Bearer 2"]);
  expect(staticToken("abc").headers({} as never)).toEqual({ authorization: "Bearer abc" });
});

test("S-243: an auth provider that throws fails its request and no other", async () => {
  await using server = await badServer(({ id }, response) => json(response, id, {}));
  let fail = true;
  await using peer = await peerOf(server.url, {
    auth: {
      headers: () => {
        if (fail) {
          throw new Error("no token");
        }
        return undefined;
      },
    },
  });
  await expect(peer.call("ping", {})).rejects.toThrow("no token");
  fail = false;
  expect(await peer.call("ping", {})).toEqual({});
});

test.each([
  ["T-055d: modern", { _meta: meta }],
  ["T-055c: legacy", {}],
])("%s: a stream that ends without the answer rejects the call", async (_, params) => {
  await using server = await badServer((_message, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.end('data: {"jsonrpc":"2.0","method":"notifications/message","params":{}}\n\n');
  });
  await using peer = await peerOf(server.url);
  await expect(peer.call("tools/list", params)).rejects.toMatchObject({ code: "NETWORK" });
});

test.each([
  ["modern", { _meta: meta }],
  ["legacy", {}],
])(
  "%s: a stream that breaks ends its own call, and none of the others that are under way",
  async (_, params) => {
    const clock = createVirtualClock();
    let arrived: (answer: () => void) => void = () => {};
    const slowArrived = new Promise<() => void>((resolve) => {
      arrived = resolve;
    });
    await using server = await badServer(({ id, method }, response, request) => {
      if (method === "slow") {
        arrived(() => json(response, id, { text: "at last" }));
        return;
      }
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write('data: {"jsonrpc":"2.0","method":"notifications/message","params":{}}\n\n', () =>
        request.socket.destroy(),
      );
    });
    const connection = await new StreamableClientTransport(server.url, { eras: false }).connect();
    await using peer = new Peer(connection, { clock });
    const slow = peer.call("slow", params, { timeoutMs: Infinity });
    const answerSlow = await slowArrived;
    await expect(peer.call("broken", params, { timeoutMs: Infinity })).rejects.toMatchObject({
      code: "NETWORK",
    });
    clock.advance(60_000);
    answerSlow();
    expect(await slow).toEqual({ text: "at last" });
  },
);

test("T-073, R-365: a lost session is opened anew once; what has not run is sent again", async () => {
  await using listening = await listen(echo);
  let restored = 0;
  await using peer = await peerOf(listening.url, { onSessionRestored: () => restored++ });
  await initialize(peer);
  const forget = async (): Promise<void> => {
    // What a restart does to the sessions of a server: they are gone, and their clients do not
    // know.
    const connection = lastSession;
    await fetch(listening.url, { method: "DELETE", headers: { "mcp-session-id": connection } });
  };
  let lastSession = "";
  const spied = new StreamableClientTransport(listening.url, {
    eras: false,
    onSessionRestored: () => restored++,
  });
  const connection = await spied.connect();
  await using second = new Peer(connection);
  await initialize(second);
  lastSession = connection.sessionId ?? "";
  await forget();
  const answers = await Promise.all([second.call("tools/list", {}), second.call("prompts/list", {})]);
  expect(answers).toEqual([{ method: "tools/list" }, { method: "prompts/list" }]);
  expect(restored).toBe(1);
  expect(connection.sessionId).not.toBe(lastSession);
  lastSession = connection.sessionId ?? "";
  await forget();
  // The request itself got 404, so it has not run, whatever the tool does.
  expect(await second.call("tools/call", { name: "pay" })).toEqual({ method: "tools/call" });
  expect(restored).toBe(2);
  expect(await second.call("tools/call", { name: "pay" })).toEqual({ method: "tools/call" });
});

test("T-065: a redirect to another origin is not followed", async () => {
  await using target = await badServer(({ id }, response) => json(response, id, {}));
  await using server = await badServer((_message, response) => {
    response.writeHead(307, { location: target.url.href }).end();
  });
  await using peer = await peerOf(server.url, { auth: staticToken("secret") });
  await expect(peer.call("ping", {})).rejects.toMatchObject({ code: "REDIRECT" });
  expect(target.seen).toEqual([]);
});

test("a redirect to the same origin is followed", async () => {
  await using server = await badServer(({ id }, response, request) => {
    if (request.url === "/mcp") {
      response.writeHead(308, { location: "/other" }).end();
    } else {
      json(response, id, { url: request.url });
    }
  });
  await using peer = await peerOf(server.url);
  expect(await peer.call("ping", {})).toEqual({ url: "/other" });
});

test.each(["application/json", "text/event-stream"])(
  "T-059: an endless answer in %s is cut off",
  async (type) => {
    await using server = await badServer((_message, response) => {
      response.writeHead(200, { "content-type": type });
      response.write("data: ");
      const chunk = "x".repeat(64 * 1024);
      const pour = (): void => {
        while (!response.destroyed && response.write(chunk)) {
          // Until the buffer is full.
        }
      };
      response.on("drain", pour);
      pour();
    });
    await using peer = await peerOf(server.url, { limits: { maxMessageBytes: 1024 * 1024 } });
    await expect(peer.call("ping", {})).rejects.toThrow(/limit of 1048576/);
  },
);

test("T-082: the text of a refusal is quoted shortened and harmless", async () => {
  await using server = await badServer((_message, response) => {
    response.writeHead(500, { "content-type": "text/plain" });
    response.end(`\u001B[31mboom\r\n${"x".repeat(5_000_000)}`);
  });
  await using peer = await peerOf(server.url);
  const error = await peer.call("ping", {}).catch((reason: unknown) => reason as Error);
  const { message } = error as Error;
  expect(message.length).toBeLessThan(4096);
  expect(message).toContain("boom");
  expect(message).not.toMatch(/\p{Cc}/u);
});

test("T-082: the reason of a refusal that comes as JSON is quoted too", async () => {
  await using server = await badServer((_message, response) => {
    response.writeHead(403, { "content-type": "application/json" });
    response.end(JSON.stringify({ error: "the quota is used up" }));
  });
  await using peer = await peerOf(server.url);
  await expect(peer.call("ping", {})).rejects.toThrow(/403.*the quota is used up/);
});

test.each([["01"], ["0x1"], [" 1 "], ["1e0"], [99]])(
  "T-058: an answer with the id %j is not taken for that of request 1, which rejects at once",
  async (id) => {
    await using server = await badServer((_message, response) => {
      response.writeHead(200, { "content-type": "application/json" });
      response.end(JSON.stringify({ jsonrpc: "2.0", id, result: "forged" }));
    });
    await using peer = await peerOf(server.url);
    const failed = peer.call("ping", {}, { timeoutMs: 600_000 });
    await expect(failed).rejects.toMatchObject({ code: "UNEXPECTED_RESPONSE", status: 200 });
    await expect(failed).rejects.toThrow(
      `HTTP status 200 (application/json) and a response with the ID ${JSON.stringify(id)} instead of the ID of request 1 (ping): {"jsonrpc"`,
    );
  },
);

test("the reason of a refusal is not waited for without end", async () => {
  await using server = await badServer((_message, response) => {
    response.writeHead(500, { "content-type": "text/plain" });
    response.write("boom");
  });
  for (const fetch of [undefined, globalThis.fetch]) {
    await using peer = await peerOf(server.url, { fetch });
    await expect(peer.notify("anything", {})).rejects.toThrow(/500.*boom/);
  }
});

test("T-062: a listening stream that brings something and ends is not asked for in a loop either", async () => {
  let waiting = (_delayMs: number): void => {};
  const waited = new Promise<number>((resolve) => {
    waiting = resolve;
  });
  await using server = await badServer(({ id, method }, response, request) => {
    if (request.method === "GET") {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.end('retry: 0\ndata: {"jsonrpc":"2.0","method":"notifications/message"}\n\n');
    } else if (method === "initialize") {
      json(response, id, { protocolVersion: legacyRevision, capabilities: {} });
    } else {
      response.writeHead(202).end();
    }
  });
  await using peer = await peerOf(server.url, {
    onListening: (state) => {
      if (state.state === "waiting") {
        waiting(state.delayMs);
      }
    },
  });
  await initialize(peer);
  expect(await waited).toBeGreaterThanOrEqual(250);
});

test("T-69: events of other names are for others, on the listening stream too", async () => {
  const told: string[] = [];
  let enough = (): void => {};
  const heard = new Promise<void>((resolve) => {
    enough = resolve;
  });
  await using server = await badServer(({ id, method }, response, request) => {
    if (request.method === "GET") {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write('event: other\ndata: {"jsonrpc":"2.0","method":"foreign"}\n\n');
      response.write('event: message\ndata: {"jsonrpc":"2.0","method":"mine"}\n\n');
    } else if (method === "initialize") {
      json(response, id, { protocolVersion: legacyRevision, capabilities: {} });
    } else {
      response.writeHead(202).end();
    }
  });
  await using peer = await peerOf(server.url, {}, (method) => {
    told.push(method);
    enough();
  });
  await initialize(peer);
  await heard;
  expect(told).toEqual(["mine"]);
});

test("T-39: an error in JSON-RPC is taken from any status, and needs no id", async () => {
  await using server = await badServer((_message, response) => {
    response.writeHead(400, { "content-type": "application/json" });
    response.end(JSON.stringify({ jsonrpc: "2.0", id: null, error: { code: -32000, message: "no" } }));
  });
  await using peer = await peerOf(server.url);
  await expect(peer.call("ping", {})).rejects.toMatchObject({ code: -32000, message: "no" });
});

test("T-062: a listening stream that ends at once is not asked for in a loop", async () => {
  const states: ListeningState[] = [];
  let enough = (): void => {};
  const waited = new Promise<void>((resolve) => {
    enough = resolve;
  });
  await using server = await badServer(({ id, method }, response, request) => {
    if (request.method === "GET") {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.end("retry: 0\n\n");
    } else if (method === "initialize") {
      json(response, id, { protocolVersion: legacyRevision, capabilities: {} });
    } else {
      response.writeHead(202).end();
    }
  });
  await using peer = await peerOf(server.url, {
    reconnect: { initialDelayMs: 300 },
    onListening: (state) => {
      states.push(state);
      if (state.state === "waiting" && state.attempt >= 3) {
        enough();
      }
    },
  });
  await initialize(peer);
  await waited;
  const delays = states.flatMap((state) => (state.state === "waiting" ? [state.delayMs] : []));
  expect(delays.every((delay) => delay >= 250)).toBe(true);
  expect(delays.at(-1)).toBeGreaterThan(delays[0] ?? 0);
});

test("R-320: tools with invalid annotations are left out in the modern era, with a warning", async () => {
  const tool = (name: string, property: object): object => ({
    name,
    inputSchema: { type: "object", properties: { x: property } },
  });
  await using server = await badServer(({ id }, response) =>
    json(response, id, {
      tools: [
        tool("good", { type: "string", "x-mcp-header": "X" }),
        tool("bad", { type: "number", "x-mcp-header": "X" }),
        tool("worse", { type: "array", items: { type: "string", "x-mcp-header": "X" } }),
        tool("plain", { type: "object", properties: { "x-mcp-header": { type: "string" } } }),
      ],
    }),
  );
  const warnings: string[] = [];
  await using peer = await peerOf(server.url, { onWarning: (message) => warnings.push(message) });
  const { tools } = (await peer.call("tools/list", { _meta: meta })) as { tools: { name: string }[] };
  expect(tools.map(({ name }) => name)).toEqual(["good", "plain"]);
  expect(warnings).toEqual([expect.stringContaining('"bad"'), expect.stringContaining('"worse"')]);
  await peer.call("tools/call", { name: "good", arguments: { x: " a" }, _meta: meta });
  expect(server.seen.at(-1)?.headers["mcp-param-x"]).toBe("=?base64?IGE=?=");
});

test("a server that lists hundreds of invalid tools does not fill the log", async () => {
  const bad = (_: unknown, index: number): object => ({
    name: `bad${index}`,
    inputSchema: { type: "object", properties: { x: { type: "number", "x-mcp-header": "X" } } },
  });
  await using server = await badServer(({ id }, response) =>
    json(response, id, { tools: Array.from({ length: 500 }, bad) }),
  );
  const warnings: string[] = [];
  await using peer = await peerOf(server.url, { onWarning: (message) => warnings.push(message) });
  expect(await peer.call("tools/list", { _meta: meta })).toEqual({ tools: [] });
  expect(warnings).toHaveLength(21);
  expect(warnings.at(-1)).toBe("480 more tools of the same list are left out.");
});

test("R-327: a call whose headers are refused is sent again after the tools were listed", async () => {
  await using server = await badServer(({ id, method }, response, request) => {
    if (method === "tools/list") {
      const inputSchema = { type: "object", properties: { x: { type: "string", "x-mcp-header": "X" } } };
      json(response, id, { tools: [{ name: "good", inputSchema }] });
    } else if (request.headers["mcp-param-x"] === undefined) {
      response.writeHead(400, { "content-type": "application/json" });
      response.end(JSON.stringify({ jsonrpc: "2.0", id, error: { code: -32020, message: "header" } }));
    } else {
      json(response, id, { content: [] });
    }
  });
  await using peer = await peerOf(server.url);
  expect(await peer.call("tools/call", { name: "good", arguments: { x: "a" }, _meta: meta })).toEqual({
    content: [],
  });
  expect(server.seen.map(({ message }) => message.method)).toEqual([
    "tools/call",
    "tools/list",
    "tools/call",
  ]);
});

test("R-327: a call that is cancelled while the tools are listed is not sent again", async () => {
  const abort = new AbortController();
  await using server = await badServer(({ id, method }, response) => {
    if (method === "tools/list") {
      abort.abort();
      json(response, id, { tools: [] });
    } else {
      response.writeHead(400, { "content-type": "application/json" });
      response.end(JSON.stringify({ jsonrpc: "2.0", id, error: { code: -32020, message: "header" } }));
    }
  });
  await using peer = await peerOf(server.url);
  const call = peer.call("tools/call", { name: "good", _meta: meta }, { signal: abort.signal });
  await expect(call).rejects.toMatchObject({ name: "AbortError" });
  for (let round = 0; round < 10; round++) {
    await peer.call("ping", { _meta: meta }).catch(() => {});
  }
  const methods = server.seen.map(({ message }) => message.method);
  expect(methods.filter((method) => method !== "ping")).toEqual(["tools/call", "tools/list"]);
});

test("R-219: a server that turned out to be of the legacy era is not asked again", async () => {
  await using server = await badServer(({ id, method }, response) =>
    json(response, id, method === "initialize" ? { protocolVersion: "2025-06-18", capabilities: {} } : {}),
  );
  const eras = createEraCache();
  for (let round = 0; round < 2; round++) {
    await using peer = await peerOf(server.url, { eras });
    const probe = peer.call("server/discover", { _meta: meta });
    await (round === 0 ? probe : expect(probe).rejects.toMatchObject({ code: -32601 }));
    await peer.call("initialize", {});
  }
  expect(
    server.seen.map(({ message }) => message.method).filter((method) => method === "server/discover"),
  ).toHaveLength(1);
});

test("R-219: a legacy server says nothing about its neighbours under other paths", async () => {
  await using server = await badServer(({ id }, response) =>
    json(response, id, { protocolVersion: "2025-06-18", capabilities: {} }),
  );
  const eras = createEraCache();
  await using old = await peerOf(new URL("/old", server.url), { eras });
  // What a client of both eras does: the result of this server is that of a legacy server.
  await old.call("server/discover", { _meta: meta });
  await old.call("initialize", {});
  await using other = await peerOf(new URL("/new", server.url), { eras });
  await other.call("server/discover", { _meta: meta });
  await using again = await peerOf(new URL("/old?token=1", server.url), { eras });
  await expect(again.call("server/discover", { _meta: meta })).rejects.toMatchObject({
    data: { remembered: true },
  });
});

test("T-31: an aborted modern call closes its request, and posts nothing", async () => {
  let closed = (): void => {};
  const gone = new Promise<void>((resolve) => {
    closed = resolve;
  });
  const controller = new AbortController();
  await using server = await badServer((_message, response) => {
    response.on("close", () => closed());
    controller.abort(new Error("enough"));
  });
  await using peer = await peerOf(server.url);
  await expect(peer.call("tools/list", { _meta: meta }, { signal: controller.signal })).rejects.toThrow(
    "enough",
  );
  await gone;
  expect(server.seen).toHaveLength(1);
});

test.each([
  ["modern", { _meta: meta }],
  ["legacy", {}],
])("a cancelled call and a lost answer are no end of the connection (%s era)", async (era, params) => {
  const controller = new AbortController();
  await using server = await badServer(({ id, method }, response) => {
    if (method === "cancelled") {
      controller.abort(new Error("enough"));
    } else if (method === "lost") {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.end(": nothing\n\n");
    } else if (id === undefined) {
      response.writeHead(202).end();
    } else {
      json(response, id, "done");
    }
  });
  const connection = await new StreamableClientTransport(server.url, { eras: false }).connect();
  // A peer that took its connection for closed would end at once.
  await using peer = new Peer(connection, { cancellation, limits: { drainMs: 0 } });
  if (era === "legacy") {
    await initialize(peer);
  }
  await expect(peer.call("cancelled", params, { signal: controller.signal })).rejects.toThrow("enough");
  expect(await peer.call("next", params)).toBe("done");
  await expect(peer.call("lost", params)).rejects.toMatchObject({ code: "NETWORK" });
  expect(await peer.call("next", params)).toBe("done");
  expect(await peer.call("after that", params)).toBe("done");
});
