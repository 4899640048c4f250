import type { Handler } from "@tenon/jsonrpc2";
import {
  createMemoryBus,
  createMemoryLeases,
  createMemorySessionStore,
  type SessionStore,
} from "@tenon/stores";
import { deferred, legacyRevision } from "@tenon/testing";
import {
  createMemoryEventStore,
  createStreamableHandler,
  type SessionStores,
  type StreamableHandler,
  type StreamableHandlerOptions,
} from "@tenon/transports-streamable-http/server";
import { expect, test, vi } from "vitest";

import { common, echo, peerServer } from "./setup.ts";

/** Three handlers with the same stores, as three processes would have them. */
interface Cluster extends AsyncDisposable {
  readonly nodes: readonly StreamableHandler[];
  readonly stores: Required<SessionStores>;
  /** Sends a request to one of the nodes. */
  send(node: number, method: string, headers: Record<string, string>, message?: unknown): Promise<Response>;
  /** Opens a session at a node. @returns The headers of its requests. */
  open(node: number, headers?: Record<string, string>): Promise<Record<string, string>>;
}

function cluster(
  handle: Handler = echo,
  options: Partial<StreamableHandlerOptions> = {},
  overrides: Partial<SessionStores> = {},
): Cluster {
  const stores = {
    sessions: createMemorySessionStore(),
    bus: createMemoryBus(),
    events: createMemoryEventStore(),
    leases: createMemoryLeases(),
    ...overrides,
  };
  const nodes = [0, 1, 2].map(() => {
    const server = peerServer(handle);
    const authenticate: StreamableHandlerOptions["authenticate"] = ({ headers }) => {
      const principal = headers.get("authorization");
      return principal === undefined ? "anonymous" : { principal };
    };
    return createStreamableHandler({ getServer: () => server, stores, authenticate, ...options });
  });
  const send: Cluster["send"] = (node, method, headers, message) => {
    const body = message === undefined ? null : JSON.stringify(message);
    const request = new Request("http://127.0.0.1/mcp", { method, headers: { ...common, ...headers }, body });
    return (nodes[node] as StreamableHandler).fetch(request);
  };
  return {
    nodes,
    stores,
    send,
    async open(node, headers = {}) {
      const params = {
        protocolVersion: legacyRevision,
        capabilities: {},
        clientInfo: { name: "c", version: "1" },
      };
      const response = await send(node, "POST", headers, {
        jsonrpc: "2.0",
        id: "open",
        method: "initialize",
        params,
      });
      expect(response.status).toBe(200);
      await response.text();
      const session = { ...headers, "mcp-session-id": response.headers.get("mcp-session-id") ?? "" };
      await send(node, "POST", session, { jsonrpc: "2.0", method: "notifications/initialized" });
      return session;
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(nodes.map((node) => node.close({ drainMs: 0 })));
    },
  };
}

const call = (id: number | string, method = "echo", params: object = {}): object => ({
  jsonrpc: "2.0",
  id,
  method,
  params,
});

/** The messages of a response of either kind. */
async function messagesOf(response: Response): Promise<unknown[]> {
  const text = await response.text();
  return text.startsWith("{")
    ? [JSON.parse(text)]
    : [...text.matchAll(/^data: (.+)$/gm)].map(([, data = ""]) => JSON.parse(data));
}

/** Reads a response part by part. */
function readerOf(response: Response): { until(part: string): Promise<string>; cancel(): Promise<void> } {
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  let text = "";
  return {
    async until(part) {
      while (!text.includes(part)) {
        const { value, done } = await reader.read();
        expect(done).toBe(false);
        text += new TextDecoder().decode(value);
      }
      return text;
    },
    cancel: () => reader.cancel(),
  };
}

test("a session that one process opened is served by every process", async () => {
  await using three = cluster();
  const session = await three.open(0);
  for (const node of [1, 2, 0, 1]) {
    const response = await three.send(node, "POST", session, call(node));
    expect(await messagesOf(response)).toEqual([{ jsonrpc: "2.0", id: node, result: { method: "echo" } }]);
  }
});

test("a session is found by its principal only, at every process", async () => {
  await using three = cluster();
  const session = await three.open(0, { authorization: "ada" });
  for (const node of [0, 1]) {
    for (const authorization of ["bob", undefined]) {
      const { authorization: _, ...others } = session;
      const headers = authorization === undefined ? others : { ...others, authorization };
      expect((await three.send(node, "POST", headers, call(1))).status).toBe(404);
      expect((await three.send(node, "DELETE", headers)).status).toBe(404);
    }
  }
  expect((await three.send(1, "POST", session, call(1))).status).toBe(200);
});

test("a response that arrives at another process reaches the handler that asked", async () => {
  await using three = cluster(async (scope) => {
    if (scope.method !== "ask") {
      return {};
    }
    return { answer: await scope.call("elicitation/create", { message: "Which?" }) };
  });
  const session = await three.open(0);
  const asking = await three.send(1, "POST", session, call(7, "ask"));
  const reader = readerOf(asking);
  let text = await reader.until("elicitation/create");
  const [, question = ""] = /^data: (.*elicitation.*)$/m.exec(text) ?? [];
  const { id } = JSON.parse(question) as { id: string };
  const answered = await three.send(2, "POST", session, { jsonrpc: "2.0", id, result: { action: "accept" } });
  expect(answered.status).toBe(202);
  text = await reader.until('"id":7,');
  expect(text).toContain('"id":7,"result":{"answer":{"action":"accept"}}');
});

test("a response to a process that has gone gets 503", async () => {
  await using three = cluster(echo, { limits: { storeMs: 20 }, onError: () => undefined });
  const session = await three.open(0);
  const answered = await three.send(1, "POST", session, { jsonrpc: "2.0", id: "0123456789ab:1", result: {} });
  expect(answered.status).toBe(503);
});

test("a cancellation that arrives at another process cancels the request", async () => {
  const started = deferred();
  const cancelled = deferred();
  await using three = cluster(async ({ method, signal }) => {
    if (method === "wait") {
      started.resolve();
      await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
      cancelled.resolve();
    }
    return {};
  });
  const session = await three.open(0);
  void three.send(1, "POST", session, call(3, "wait"));
  await started.promise;
  const params = { requestId: 3 };
  await three.send(2, "POST", session, { jsonrpc: "2.0", method: "notifications/cancelled", params });
  await cancelled.promise;
});

test("a session that a client deletes ends at every process, with its streams", async () => {
  const closed = vi.fn();
  await using three = cluster(echo, { sessions: { onSessionClosed: closed } });
  const session = await three.open(0);
  await three.send(1, "POST", session, call(1));
  const stream = await three.send(1, "GET", session);
  expect((await three.send(2, "DELETE", session)).status).toBe(204);
  await stream.text();
  for (const node of [0, 1, 2]) {
    expect((await three.send(node, "POST", session, call(2))).status).toBe(404);
  }
  expect(closed).toHaveBeenCalledOnce();
  expect(closed.mock.calls[0]?.[1]).toBe("deleted");
});

test("an idle session ends once, whichever process notices", async () => {
  const closed = vi.fn();
  await using three = cluster(echo, { sessions: { onSessionClosed: closed }, limits: { idleMs: 40 } });
  const session = await three.open(0);
  await three.send(1, "POST", session, call(1));
  await vi.waitFor(() => expect(closed).toHaveBeenCalled());
  for (const node of [0, 1, 2]) {
    expect((await three.send(node, "POST", session, call(2))).status).toBe(404);
  }
  expect(closed.mock.calls).toEqual([[{ id: session["mcp-session-id"], principal: undefined }, "idle"]]);
});

test("a process that shuts down leaves its sessions to the others", async () => {
  const closed = vi.fn();
  await using three = cluster(echo, { sessions: { onSessionClosed: closed } });
  const session = await three.open(0);
  await three.nodes[0]?.close();
  expect((await three.send(1, "POST", session, call(1))).status).toBe(200);
  expect(closed).not.toHaveBeenCalled();
});

test("a standalone stream is resumed at another process without loss, and its old connection ends", async () => {
  await using three = cluster(async (scope) => {
    await scope.notify("notifications/message", { n: 1 });
    return {};
  });
  const session = await three.open(0);
  const first = await three.send(0, "GET", session);
  const second = await three.send(1, "GET", session);
  await first.text();
  expect(second.status).toBe(200);
});

test("a stream of a request is resumed at another process to its response", async () => {
  const go = deferred();
  await using three = cluster(async (scope) => {
    if (scope.method === "work") {
      await scope.notify("notifications/message", { n: 1 });
      await go.promise;
      await scope.notify("notifications/message", { n: 2 });
    }
    return {};
  });
  const session = await three.open(0);
  const working = await three.send(0, "POST", session, call(5, "work"));
  const reader = readerOf(working);
  const text = await reader.until('"n":1');
  await reader.cancel();
  const ids = [...text.matchAll(/^id: (.+)$/gm)].map(([, id]) => id);
  const resumed = await three.send(1, "GET", { ...session, "last-event-id": ids.at(-1) ?? "" });
  go.resolve();
  const messages = await messagesOf(resumed);
  expect(messages).toEqual([
    { jsonrpc: "2.0", method: "notifications/message", params: { n: 2 } },
    { jsonrpc: "2.0", id: 5, result: {} },
  ]);
});

test("while the store of sessions fails, sessions are refused with 503, and other requests served", async () => {
  let fails = false;
  const model = createMemorySessionStore();
  const sessions = new Proxy(model, {
    get: (target, name: keyof SessionStore) =>
      fails ? () => new Promise(() => undefined) : (target[name] as unknown),
  });
  await using three = cluster(echo, { limits: { storeMs: 20 }, onError: () => undefined }, { sessions });
  const session = await three.open(0);
  fails = true;
  const refused = await three.send(0, "POST", session, call(1));
  expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "1"]);
  const params = {
    protocolVersion: legacyRevision,
    capabilities: {},
    clientInfo: { name: "c", version: "1" },
  };
  expect((await three.send(1, "POST", {}, call(1, "initialize", params))).status).toBe(503);
  expect((await three.send(1, "POST", {}, call(1))).status).toBe(200);
  fails = false;
  expect((await three.send(1, "POST", session, call(1))).status).toBe(200);
});

test("stores without sessions or a bus are refused", () => {
  const getServer = () => undefined;
  const stores = { sessions: createMemorySessionStore() } as unknown as SessionStores;
  expect(() => createStreamableHandler({ getServer, stores })).toThrow("stores must have the properties");
});
