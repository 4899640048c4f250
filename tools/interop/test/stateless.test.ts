import { Client } from "@tenon/sdk/client";
import { createStatelessHandler, createStreamableHandler } from "@tenon/sdk/http";
import { createInMemoryTransports } from "@tenon/sdk/memory";
import { Server, type RequestContext, type ServerOptions } from "@tenon/sdk/server";
import { describe, expect, test } from "vitest";

const url = "http://localhost/mcp";
const info = { name: "stateless", version: "1.0.0" };
const both = "application/json, text/event-stream";
const form = { type: "object", properties: { name: { type: "string" } } } as const;

interface Post {
  readonly method: string;
  readonly params?: object;
  readonly id?: number;
  readonly meta?: object;
  readonly signal?: AbortSignal;
}

/**
 * A request of 2026-07-28, all of which have the same id: clients choose theirs without knowing of
 * each other.
 */
function modern({ method, params = {}, id = 1, meta = {}, signal }: Post): Request {
  const { name } = params as { name?: string };
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
    ...meta,
  };
  return new Request(url, {
    method: "POST",
    signal: signal ?? null,
    headers: {
      "content-type": "application/json",
      accept: both,
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": method,
      ...(name === undefined ? {} : { "mcp-name": name }),
    },
    body: JSON.stringify({ jsonrpc: "2.0", id, method, params: { ...params, _meta } }),
  });
}

/** A request of 2025-11-25 whose client has no session. */
function legacy({ method, params = {}, id = 1 }: Post): Request {
  return new Request(url, {
    method: "POST",
    headers: { "content-type": "application/json", accept: both, "mcp-protocol-version": "2025-11-25" },
    body: JSON.stringify({ jsonrpc: "2.0", id, method, params }),
  });
}

/** What comes on an event stream until a text has come. */
async function readUntil(response: Response, wanted: string): Promise<string> {
  const reader = response.body?.getReader();
  let text = "";
  while (!text.includes(wanted)) {
    const { done = true, value } = (await reader?.read()) ?? {};
    if (done) {
      break;
    }
    text += new TextDecoder().decode(value);
  }
  reader?.releaseLock();
  return text;
}

function deferred<T = void>() {
  let resolve: (value: T) => void = () => {};
  const promise = new Promise<T>((onResolve) => {
    resolve = onResolve;
  });
  return { promise, resolve };
}

/** A handler whose server has the tool `slow`, which waits to be released, and `quick`. */
function withSlowTool(options: ServerOptions = {}) {
  const server = new Server(info, options);
  const release = deferred();
  const entered: (() => void)[] = [];
  server.addTool({ name: "slow" }, async () => {
    entered.shift()?.();
    await release.promise;
    return "slow";
  });
  server.addTool({ name: "quick" }, () => "quick");
  const handler = createStatelessHandler({ getServer: () => server });
  return {
    server,
    handler,
    release: release.resolve,
    /** Calls `slow`; resolves when it runs. */
    async begin(request: (post: Post) => Request) {
      const runs = deferred();
      entered.push(runs.resolve);
      const answer = handler.fetch(request({ method: "tools/call", params: { name: "slow" } }));
      await runs.promise;
      return answer.then((response) => response.json());
    },
  };
}

test("keepAlive of a server does not end calls without a session: there is nobody to ping", async () => {
  const intervalMs = 1234;
  const timers = new Set<() => void>();
  const clock = {
    now: () => 0,
    setTimeout: (callback: () => void, ms: number) => {
      if (ms === intervalMs) {
        timers.add(callback);
      }
      return callback;
    },
    clearTimeout: (timer: unknown) => void timers.delete(timer as () => void),
  };
  const { server, handler, release, begin } = withSlowTool({
    keepAlive: { intervalMs, timeoutMs: 1_000_000 },
    clock,
  });
  const answer = begin(legacy);
  // A client with a session, which is pinged: once it has been, all that keepAlive does without a
  // session has happened.
  const [here, there] = createInMemoryTransports();
  await server.connect(there);
  const client = new Client(info, { revisions: ["2025-11-25"] });
  const heard = { pings: 0 };
  client.addReceivingMiddleware((next) => (request) => {
    heard.pings += request.method === "ping" ? 1 : 0;
    return next(request);
  });
  await using _session = await client.connect(here);
  while (heard.pings < 3) {
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
    const [first] = timers;
    if (first !== undefined) {
      timers.delete(first);
      first();
    }
  }
  release();
  expect(await answer).toMatchObject({ result: { content: [{ text: "slow" }] } });
  await handler.close();
});

test("maxSubscriptions counts the listens of one principal, not those of strangers", async () => {
  const server = new Server(info, { limits: { maxSubscriptions: 2 } });
  server.addTool({ name: "t" }, () => "");
  const handler = createStatelessHandler({ getServer: () => server });
  const controller = new AbortController();
  const { signal } = controller;
  const listen = (principal?: string): Promise<Response> =>
    handler.serve(
      modern({
        method: "subscriptions/listen",
        params: { notifications: { toolsListChanged: true } },
        signal,
      }),
      principal === undefined ? {} : { auth: { principal } },
    );
  const acknowledged = async (response: Response): Promise<boolean> =>
    (await readUntil(response, "acknowledged")).includes("acknowledged");
  for (const principal of [undefined, undefined, undefined, "alice", "alice", "bob"]) {
    expect(await acknowledged(await listen(principal))).toBe(true);
  }
  const refused = await listen("alice");
  expect(await refused.json()).toMatchObject({
    id: 1,
    error: { code: -32603, message: expect.stringContaining("2 subscriptions (maxSubscriptions)") as string },
  });
  controller.abort();
  await handler.close({ drainMs: 0 });
});

test("limits.logIntervalMs does not let the messages of one client swallow those of another", async () => {
  const server = new Server(info, { logging: true, limits: { logIntervalMs: 3_600_000 } });
  server.addTool({ name: "log" }, async (_, context) => {
    await context.log("info", "first");
    await context.log("info", "second");
    return "done";
  });
  await using handler = createStatelessHandler({ getServer: () => server });
  const meta = { "io.modelcontextprotocol/logLevel": "info" };
  for (let client = 1; client <= 2; client++) {
    const post = modern({ method: "tools/call", params: { name: "log" }, meta });
    const text = await (await handler.fetch(post)).text();
    expect(text).toContain('"first"');
    expect(text).not.toContain('"second"');
  }
});

test.each([
  ["modern", modern],
  ["legacy", legacy],
] as const)(
  "slow calls of one client beyond the server's maxInFlight do not make another client wait (%s)",
  async (_, request) => {
    const { handler, release, begin } = withSlowTool({ limits: { maxInFlight: 2 } });
    const slow = [];
    for (let count = 0; count < 4; count++) {
      slow.push(begin(request));
    }
    const quick = await handler.fetch(request({ method: "tools/call", params: { name: "quick" } }));
    expect(await quick.json()).toMatchObject({ result: { content: [{ text: "quick" }] } });
    release();
    await Promise.all(slow);
    await handler.close();
  },
);

describe("a request without a session", () => {
  test.each([
    ["modern", modern],
    ["legacy", legacy],
  ] as const)(
    "is seen without one by handlers and middleware, and leaves none behind (%s)",
    async (_, request) => {
      const server = new Server(info, { logging: { level: "info" } });
      const seen: unknown[] = [];
      server.addReceivingMiddleware((next) => (received) => {
        seen.push(received.session);
        return next(received);
      });
      server.addSendingMiddleware((next) => (call) => {
        seen.push(call.session, call.method);
        return next(call);
      });
      server.addTool({ name: "t" }, async (_args, context: RequestContext) => {
        seen.push(context.session);
        await context.log("info", "hello");
        return "";
      });
      await using handler = createStatelessHandler({ getServer: () => server });
      const meta = { "io.modelcontextprotocol/logLevel": "info" };
      const response = await handler.fetch(request({ method: "tools/call", params: { name: "t" }, meta }));
      expect(await response.text()).toContain('"hello"');
      expect(seen).toEqual([undefined, undefined, undefined, "notifications/message"]);
      expect([...server.sessions()]).toEqual([]);
    },
  );

  test.each([
    ["elicit", (context: RequestContext) => context.elicit({ message: "Who?", requestedSchema: form })],
    ["sample", (context: RequestContext) => context.sample({ messages: [], maxTokens: 1 })],
    ["listRoots", (context: RequestContext) => context.listRoots()],
  ] as const)("fails %s in a legacy version by an error that names the missing session", async (_, ask) => {
    const server = new Server(info);
    let reason: unknown;
    server.addTool({ name: "ask" }, async (_args, context) => {
      reason = await ask(context).catch((error: unknown) => error);
      return "asked";
    });
    const handler = createStreamableHandler({ getServer: () => server, sessions: false });
    await handler.fetch(legacy({ method: "tools/call", params: { name: "ask" } }));
    expect(reason).toMatchObject({
      code: "CAPABILITY_MISSING",
      message: expect.stringContaining("this tools/call request belongs to no session") as string,
    });
    await handler.close();
  });

  test("cannot subscribe in the legacy era, and is not told that it could", async () => {
    const hooks: string[] = [];
    const server = new Server(info, {
      onSubscribe: (uri) => void hooks.push(uri),
      onUnsubscribe: (uri) => void hooks.push(uri),
    });
    server.addTool({ name: "t" }, () => "");
    server.addResource({ uri: "memo://1", name: "memo" }, () => "text");
    await using handler = createStatelessHandler({ getServer: () => server });
    const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: info };
    const opened = await handler.fetch(legacy({ method: "initialize", params }));
    expect(await opened.json()).toMatchObject({
      result: { protocolVersion: "2025-11-25", capabilities: { tools: {}, resources: {} } },
    });
    for (const method of ["resources/subscribe", "resources/unsubscribe"]) {
      const refused = await handler.fetch(legacy({ method, params: { uri: "memo://1" } }));
      expect(await refused.json()).toMatchObject({ error: { code: -32600 } });
    }
    expect(hooks).toEqual([]);
  });

  test("ends with the server: listens in good order, calls after drainMs", async () => {
    const { server, handler, begin } = withSlowTool();
    const call = begin(modern);
    const listen = await handler.fetch(
      modern({
        method: "subscriptions/listen",
        params: { notifications: { toolsListChanged: true } },
        id: 7,
      }),
    );
    await readUntil(listen, "acknowledged");
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
    await server.close({ drainMs: 0 });
    expect(await call).toMatchObject({ error: { code: -32603, message: "The server is shutting down" } });
    const rest = await readUntil(listen, '"result"');
    expect(rest).toContain('"id":7');
    expect(rest).toContain('"io.modelcontextprotocol/subscriptionId":7');
    await handler.close();
  });

  test("has room beside the listens of others, and they beside it", async () => {
    const server = new Server(info);
    server.addTool({ name: "t" }, () => "");
    const handler = createStreamableHandler({
      getServer: () => server,
      limits: { maxListens: 2, maxInFlight: 1 },
    });
    const listens = [];
    for (let count = 0; count < 2; count++) {
      const response = await handler.fetch(
        modern({ method: "subscriptions/listen", params: { notifications: { toolsListChanged: true } } }),
      );
      await readUntil(response, "acknowledged");
      listens.push(response);
    }
    for (const request of [modern, legacy]) {
      expect((await handler.fetch(request({ method: "tools/list" }))).status).toBe(200);
    }
    server.addTool({ name: "u" }, () => "");
    for (const response of listens) {
      expect(await readUntil(response, "list_changed")).toContain("list_changed");
    }
    await handler.close();
  });
});
