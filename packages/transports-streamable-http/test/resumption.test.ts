import { createServer, connect as connectSocket, type Socket } from "node:net";

import { Peer } from "@tenon/jsonrpc2";
import { samples } from "@tenon/samples";
import { legacyRevision } from "@tenon/test-support";
import { listenOnFreePort } from "@tenon/test-support/http";
import {
  createMemoryEventStore,
  type EventStore,
  StreamableClientTransport,
} from "@tenon/transports-streamable-http";
import { expect, test } from "vitest";

import { listen } from "./setup.ts";

/**
 * A proxy that cuts event streams after a random number of bytes. A client that has not seen the
 * first event of an answer cannot come back for it, so that one is let through; when the client
 * does come back, the cut may come anywhere.
 */
async function cuttingProxy(
  target: URL,
  cuts: { left: number },
  maxBytes: number,
): Promise<{ url: URL; close(): void }> {
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connectSocket(Number(target.port), target.hostname);
    const dispose = (): void => {
      client.destroy();
      upstream.destroy();
    };
    sockets.add(client);
    let budget = Infinity;
    let answer = "";
    upstream.on("data", (chunk) => {
      answer += chunk.toString();
      const begun = /\nid: \S+\n(?:.+\n)+\n/.test(answer.replaceAll("\r", ""));
      if (begun && budget === Infinity) {
        budget = chunk.length + Math.floor(Math.random() * maxBytes);
      }
      if (cuts.left > 0 && chunk.length > budget) {
        cuts.left--;
        client.write(chunk.subarray(0, budget), dispose);
        return;
      }
      budget -= chunk.length;
      client.write(chunk);
    });
    client.on("data", (chunk) => {
      answer = "";
      budget = chunk.toString().startsWith("GET") ? Math.floor(Math.random() * maxBytes) : Infinity;
      upstream.write(chunk);
    });
    for (const socket of [client, upstream]) {
      socket.on("error", dispose);
      socket.on("close", () => {
        sockets.delete(client);
        dispose();
      });
    }
  });
  const port = await listenOnFreePort(server);
  return {
    url: new URL(`http://127.0.0.1:${port}/mcp`),
    close: () => {
      server.close();
      for (const socket of sockets) {
        socket.destroy();
      }
    },
  };
}

/** A store that takes its time, so that what is kept and what is sent can overlap. */
function slowly(store: EventStore): EventStore {
  const later = <T>(value: T): Promise<T> =>
    new Promise((resolve) => {
      setImmediate(() => resolve(value));
    });
  return {
    append: async (stream, data) => later(await store.append(stream, data)),
    streamOf: async (sessionId, eventId) => later(await store.streamOf(sessionId, eventId)),
    async *readAfter(stream, eventId) {
      for await (const event of store.readAfter(stream, eventId)) {
        yield await later(event);
      }
    },
    deleteSession: (sessionId) => store.deleteSession(sessionId),
  };
}

async function initialize(peer: Peer): Promise<void> {
  await peer.call("initialize", {
    protocolVersion: legacyRevision,
    capabilities: {},
    clientInfo: { name: "test", version: "1.0.0" },
  });
  await peer.notify("notifications/initialized", {});
}

test.each([
  ["memory", samples(1000), (store: EventStore) => store],
  ["slow", samples(250), slowly],
] as const)("T-043, S-039: random cuts lose and double nothing (%s store)", async (_, count, wrap) => {
  const messages = 60;
  await using listening = await listen(
    async (scope) => {
      if (scope.id === undefined) {
        return undefined;
      }
      for (let index = 0; index < messages; index++) {
        await scope.notify("notifications/message", { index, call: scope.id, padding: "x".repeat(100) });
        if (index % 5 === 0) {
          await new Promise<void>((resolve) => {
            setImmediate(resolve);
          });
        }
      }
      return { call: scope.id };
    },
    { sessions: { eventStore: wrap(createMemoryEventStore()) }, limits: { retryMs: 1 } },
  );
  const cuts = { left: count };
  const proxy = await cuttingProxy(listening.url, cuts, 4000);
  const seen = new Map<unknown, number[]>();
  const transport = new StreamableClientTransport(proxy.url, {
    eras: false,
    reconnect: { initialDelayMs: 1, maxDelayMs: 5, maxRetries: 1000 },
  });
  const peer = new Peer(await transport.connect(), {
    handler: ({ params }) => {
      const { call, index } = params as { call: unknown; index: number };
      seen.set(call, [...(seen.get(call) ?? []), index]);
    },
  });
  await initialize(peer);
  let calls = 0;
  while (cuts.left > 0) {
    const answers = await Promise.all(
      Array.from({ length: 8 }, async () => (await peer.call("stream", {})) as { call: unknown }),
    );
    calls += answers.length;
  }
  expect(seen.size).toBe(calls);
  const expected = Array.from({ length: messages }, (_, index) => index);
  for (const indexes of seen.values()) {
    expect(indexes).toEqual(expected);
  }
  await peer.close();
  proxy.close();
});

test("T-043c: who comes back while the old connection is half open wins", async () => {
  let proceed: (value: unknown) => void = () => {};
  await using listening = await listen(
    async (scope) => {
      await scope.notify("notifications/message", { step: 1 });
      await new Promise((resolve) => {
        proceed = resolve;
      });
      return "done";
    },
    { sessions: { eventStore: createMemoryEventStore() } },
  );
  const { open, common } = await import("./setup.ts");
  const headers = await open(listening.url);
  const first = await fetch(listening.url, {
    method: "POST",
    headers: { ...common, ...headers },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "slow" }),
  });
  const reader = first.body?.getReader();
  let text = "";
  while (!text.includes("step")) {
    text += new TextDecoder().decode((await reader?.read())?.value);
  }
  const [lastEventId = ""] = text.match(/(?<=id: )\S+/g)?.slice(-1) ?? [];
  const second = await fetch(listening.url, {
    headers: { ...headers, accept: "text/event-stream", "last-event-id": lastEventId },
  });
  expect(second.status).toBe(200);
  expect(await reader?.read()).toMatchObject({ done: true });
  proceed(undefined);
  const rest = await second.text();
  expect(rest).toContain("done");
  expect(rest).not.toContain("step");
});

test("T-043d: a store that fails costs the resumption, not the answer", async () => {
  const errors: unknown[] = [];
  const broken: EventStore = {
    append: () => Promise.reject(new Error("down")),
    streamOf: () => undefined,
    readAfter: () => [],
    deleteSession: () => {},
  };
  await using listening = await listen(
    async (scope) => {
      await scope.notify("notifications/message", { step: 1 });
      return "done";
    },
    { sessions: { eventStore: broken }, onError: (error) => errors.push(error) },
  );
  await using peer = new Peer(await new StreamableClientTransport(listening.url, { eras: false }).connect());
  await initialize(peer);
  expect(await peer.call("anything", {})).toBe("done");
  expect(errors.length).toBeGreaterThan(0);
});
