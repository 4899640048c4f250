import { Peer, type Connection, type Scope } from "@tenon/jsonrpc2";
import { legacyRevision } from "@tenon/test-support";
import {
  createMemoryEventStore,
  StreamableServerTransport,
  type StreamableServerOptions,
} from "@tenon/transports-streamable-http/server";
import { expect, test } from "vitest";

import { common } from "./setup.ts";

const url = "http://localhost/mcp";
const closed = { code: "CONNECTION_CLOSED" };
const events = { accept: "text/event-stream" };

/** A request that waits in its handler until the test has done something. */
interface Running {
  readonly scope: Scope;
  finish(): void;
}

/** A session that the test sends requests to; handlers wait until they are told to finish. */
async function session(
  options: StreamableServerOptions = {},
  protocolVersion = legacyRevision,
): Promise<{
  readonly transport: StreamableServerTransport;
  readonly peer: Peer;
  readonly running: readonly Running[];
  /** POSTs a request and waits until its handler runs. */
  call(
    id: number,
    init?: RequestInit,
  ): Promise<{ readonly response: Promise<Response>; readonly run: Running }>;
  get(init?: RequestInit): Promise<Response>;
  post(message: object, init?: RequestInit): Promise<Response>;
}> {
  const transport = new StreamableServerTransport(options);
  const connection: Connection = await transport.connect();
  const running: Running[] = [];
  let entered = (): void => {};
  const peer = new Peer(connection, {
    cancellation: {
      notification: () => undefined,
      read: ({ method, params }) =>
        method === "notifications/cancelled"
          ? { id: (params as { requestId: number }).requestId, reason: "cancelled" }
          : undefined,
    },
    handler: (scope) => {
      if (scope.method === "initialize") {
        return { protocolVersion };
      }
      return scope.id === undefined
        ? undefined
        : new Promise((resolve) => {
            running.push({ scope, finish: () => resolve("done") });
            entered();
          });
    },
  });
  const headers = { ...common, "mcp-session-id": transport.sessionId };
  const post = (message: object, init: RequestInit = {}): Promise<Response> =>
    transport.fetch(
      new Request(url, {
        method: "POST",
        ...init,
        headers: { ...headers, ...(init.headers as Record<string, string>) },
        body: JSON.stringify({ jsonrpc: "2.0", ...message }),
      }),
    );
  await (await post({ id: 0, method: "initialize", params: {} })).arrayBuffer();
  return {
    transport,
    peer,
    running,
    post,
    get: (init = {}) =>
      transport.fetch(
        new Request(url, {
          ...init,
          headers: { ...headers, ...events, ...(init.headers as Record<string, string>) },
        }),
      ),
    async call(id, init) {
      const inside = new Promise<void>((resolve) => {
        entered = resolve;
      });
      const response = post({ id, method: "tools/call", params: {} }, init);
      await inside;
      return { response, run: running.at(-1) as Running };
    },
  };
}

/** Reads a stream until `pattern` occurs. */
async function readUntil(response: Response, pattern: RegExp): Promise<string> {
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  const decoder = new TextDecoder();
  let text = "";
  while (!pattern.test(text)) {
    const { value, done } = await reader.read();
    if (done) {
      break;
    }
    text += decoder.decode(value, { stream: true });
  }
  reader.releaseLock();
  return text;
}

test("a question of a request whose client has disconnected rejects at once, and the session lives on", async () => {
  const { transport, peer, call, post } = await session();
  const lost = new AbortController();
  const { run } = await call(1, { signal: lost.signal });
  lost.abort();
  await expect(run.scope.call("elicitation/create", {})).rejects.toMatchObject(closed);
  run.finish();
  const { response, run: next } = await call(2);
  next.finish();
  expect(await (await response).json()).toMatchObject({ id: 2, result: "done" });
  expect((await post({ method: "notifications/x" })).status).toBe(202);
  expect(peer.idle).toBe(true);
  await transport.close();
});

test("the same where the answer had begun as a stream", async () => {
  const { transport, call } = await session();
  const { response, run } = await call(1);
  await run.scope.notify("notifications/message", { data: 1 });
  await (await response).body?.cancel();
  await expect(run.scope.call("elicitation/create", {})).rejects.toMatchObject(closed);
  await transport.close();
});

test("a client that accepts JSON only cannot be asked, and learns its answer all the same", async () => {
  const { transport, call } = await session();
  const { response, run } = await call(1, { headers: { accept: "application/json" } });
  await expect(run.scope.call("elicitation/create", {})).rejects.toMatchObject({
    ...closed,
    message: expect.stringContaining("text/event-stream") as string,
  });
  await run.scope.notify("notifications/message", { data: "dropped" });
  run.finish();
  expect(await (await response).json()).toMatchObject({ id: 1, result: "done" });
  await transport.close();
});

test("with an event store a question waits for the client to come back for it", async () => {
  const { transport, peer, call, get, post } = await session({ eventStore: createMemoryEventStore() });
  const { response, run } = await call(1);
  const [lastEventId = ""] = (await readUntil(await response, /\n\n/)).match(/(?<=id: )\S+/) ?? [];
  await (await response).body?.cancel();
  const asked = run.scope.call("elicitation/create", {});
  const resumed = await get({ headers: { "last-event-id": lastEventId } });
  const text = await readUntil(resumed, /elicitation/);
  const { id } = JSON.parse(text.match(/(?<=data: ).*elicitation.*/)?.[0] ?? "") as { id: number };
  await post({ id, result: { action: "accept" } });
  expect(await asked).toEqual({ action: "accept" });
  expect(peer.idle).toBe(false);
  await transport.close();
});

test("with an event store a question still rejects if the client has gone before it saw an event to resume from", async () => {
  const { transport, call } = await session({ eventStore: createMemoryEventStore() }, "2025-06-18");
  const lost = new AbortController();
  const { run } = await call(1, { signal: lost.signal });
  lost.abort();
  await expect(run.scope.call("elicitation/create", {})).rejects.toMatchObject(closed);
  await transport.close();
});

test.each([false, true])(
  "a question outside of requests reaches a client that opens its stream soon afterwards, and rejects if it does not (event store: %s)",
  async (stores) => {
    const eventStore = stores ? createMemoryEventStore() : undefined;
    const { transport, peer, get, post } = await session({ eventStore, limits: { retryMs: 20 } });
    const asked = peer.call("roots/list", {});
    const stream = await get();
    const text = await readUntil(stream, /roots\/list/);
    const { id } = JSON.parse(text.match(/(?<=data: ).*roots.*/)?.[0] ?? "") as { id: number };
    await post({ id, result: { roots: [] } });
    expect(await asked).toEqual({ roots: [] });
    await transport.close();
    const { transport: other, peer: alone } = await session({ eventStore, limits: { retryMs: 1 } });
    await expect(alone.call("roots/list", {})).rejects.toMatchObject({
      ...closed,
      message: expect.stringContaining("no standalone stream") as string,
    });
    await other.close();
  },
);

test("a ping outside of requests rejects at once where nobody reads the session's stream", async () => {
  const { transport, peer, get } = await session({
    eventStore: createMemoryEventStore(),
    limits: { retryMs: 3_600_000 },
  });
  await expect(peer.call("ping", {})).rejects.toMatchObject(closed);
  const stream = await get();
  const asked = peer.call("ping", {});
  expect(await readUntil(stream, /"ping"/)).toContain('"ping"');
  const cut = expect(asked).rejects.toMatchObject(closed);
  await stream.body?.cancel();
  await expect(peer.call("ping", {})).rejects.toMatchObject(closed);
  await transport.close();
  await cut;
});

test("what waited for a client that opens its stream for the first time reaches it with an event store too", async () => {
  const { transport, peer, get } = await session({ eventStore: createMemoryEventStore() });
  await peer.notify("notifications/message", { data: "early" });
  expect(await readUntil(await get(), /early/)).toContain("early");
  await transport.close();
});

test("a session is busy while its client is connected, not while a handler runs that nobody waits for", async () => {
  const { transport, call, get } = await session();
  const lost = new AbortController();
  await call(1, { signal: lost.signal });
  expect(transport.busy).toBe(true);
  lost.abort();
  expect(transport.busy).toBe(false);
  const stream = await get();
  expect(transport.busy).toBe(true);
  await stream.body?.cancel();
  expect(transport.busy).toBe(false);
  await transport.close();
});

test("T-037: of the requests whose clients have gone the newest 16 go on; the others are cancelled, so that they block nobody", async () => {
  const { transport, running, call } = await session();
  for (let id = 1; id <= 20; id++) {
    const lost = new AbortController();
    await call(id, { signal: lost.signal });
    lost.abort();
  }
  await expect
    .poll(() => running.map(({ scope }) => scope.signal.aborted))
    .toEqual(running.map((_, index) => index < 4));
  // One that is done makes room.
  running[4]?.finish();
  await expect.poll(() => running[4]?.scope.signal.aborted).toBe(false);
  const lost = new AbortController();
  await call(21, { signal: lost.signal });
  lost.abort();
  const { response, run } = await call(22);
  run.finish();
  expect(await (await response).json()).toMatchObject({ id: 22, result: "done" });
  expect(running.filter(({ scope }) => scope.signal.aborted)).toHaveLength(4);
  await transport.close();
});

test("T-037: with an event store the requests of clients that have gone all go on, since their answers can be had", async () => {
  const { transport, running, call } = await session({ eventStore: createMemoryEventStore() });
  for (let id = 1; id <= 20; id++) {
    const { response } = await call(id);
    await (await response).body?.cancel();
  }
  const { response, run } = await call(21);
  run.finish();
  expect(await (await response).text()).toContain("done");
  expect(running.filter(({ scope }) => scope.signal.aborted)).toEqual([]);
  await transport.close();
});
