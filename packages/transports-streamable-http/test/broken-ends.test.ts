import { readLimits } from "@tenon/base";
import { WebExchange } from "@tenon/http/server";
import { legacyRevision } from "@tenon/test-support";
import {
  createMemoryEventStore,
  createStatelessHandler,
  StreamableServerTransport,
  type StreamableServerOptions,
  type StatelessHandlerOptions,
} from "@tenon/transports-streamable-http/server";
import { expect, test } from "vitest";

import { Channel } from "../src/server/channel.ts";
import { Endpoint } from "../src/server/endpoint.ts";
import { EventLog } from "../src/server/event-log.ts";
import { Heartbeat } from "../src/server/heartbeat.ts";
import { statelessHandlerLimits } from "../src/server/limits.ts";
import { codeOf, common, modern, peerServer } from "./setup.ts";

const url = "http://localhost/mcp";
const params = {
  protocolVersion: legacyRevision,
  capabilities: {},
  clientInfo: { name: "test", version: "1.0.0" },
};

function exchangeOf(message: unknown, headers: Record<string, string> = {}): WebExchange {
  return new WebExchange(
    new Request(url, { method: "POST", headers: { ...common, ...headers }, body: JSON.stringify(message) }),
  );
}

/**
 * An exchange that cannot be answered: what writes the answer throws, as the hooks that frameworks
 * put around it may.
 */
function unanswerable(message: unknown, headers: Record<string, string>): WebExchange {
  return Object.assign(exchangeOf(message, headers), {
    respond: () => {
      throw new Error("a hook failed");
    },
  });
}

/** A session whose requests wait until they are told to go on. */
async function waiting(options: StreamableServerOptions): Promise<{
  transport: StreamableServerTransport;
  peer: Awaited<ReturnType<ReturnType<typeof peerServer>["connect"]>>;
  headers: Record<string, string>;
  /** Resolves when a request has reached its handler. */
  entered(): Promise<void>;
  proceed(): void;
}> {
  const transport = new StreamableServerTransport(options);
  const entries: (() => void)[] = [];
  const held: (() => void)[] = [];
  const peer = await peerServer(async ({ id }) => {
    if (id !== undefined) {
      entries.shift()?.();
      await new Promise<void>((resolve) => {
        held.push(resolve);
      });
    }
    return "done";
  }).connect(transport);
  const opening = exchangeOf({ jsonrpc: "2.0", id: 0, method: "initialize", params });
  await transport.serve(opening, {});
  await (await opening.response).arrayBuffer();
  return {
    transport,
    peer,
    headers: { "mcp-session-id": transport.sessionId },
    entered: () =>
      new Promise((resolve) => {
        entries.push(resolve);
      }),
    proceed: () => {
      for (const go of held.splice(0)) {
        go();
      }
    },
  };
}

const wait = (id: number): object => ({ jsonrpc: "2.0", id, method: "wait" });

test("a stream whose replay failed is not kept alive any longer", async () => {
  const errors: unknown[] = [];
  const onError = (error: unknown): void => void errors.push(error);
  const store = {
    ...createMemoryEventStore(),
    readAfter: () => {
      throw new Error("down");
    },
  };
  const heartbeat = new Heartbeat(Infinity, onError);
  const key = { sessionId: "s", streamId: "1" };
  const settings = { heartbeat, streams: {}, eventStore: store, retryMs: 1000, held: { length: 0 }, onError };
  const channel = new Channel(key, settings, { log: new EventLog(store, "s", onError) });
  channel.end();
  await expect(channel.resume(exchangeOf({}), {}, { store, after: "1-1" }, undefined)).rejects.toThrow(
    "down",
  );
  expect(channel.attached).toBe(false);
  expect(channel.place).toBe(-1);
});

test("a request that cannot be answered does not keep the end of its session from the others", async () => {
  const errors: unknown[] = [];
  let closed = 0;
  const { transport, headers, entered } = await waiting({
    onError: (error) => errors.push(error),
    onClosed: () => {
      closed++;
      throw new Error("its owner failed");
    },
  });
  const both = [entered(), entered()];
  await transport.serve(unanswerable(wait(1), headers), {});
  const other = exchangeOf(wait(2), headers);
  await transport.serve(other, {});
  await Promise.all(both);
  await transport.close();
  expect(await codeOf(await other.response)).toBe(-32603);
  expect(closed).toBe(1);
  expect(errors).toMatchObject([{ message: "a hook failed" }, { message: "its owner failed" }]);
});

test("a batch whose session ends is answered as a batch", async () => {
  const transport = new StreamableServerTransport();
  let entered = (): void => {};
  const inside = new Promise<void>((resolve) => {
    entered = resolve;
  });
  await peerServer(({ id }) => {
    if (id === 2) {
      entered();
    }
    return new Promise(() => {});
  }).connect(transport);
  const old = { ...params, protocolVersion: "2025-03-26" };
  const opening = exchangeOf({ jsonrpc: "2.0", id: 0, method: "initialize", params: old });
  await transport.serve(opening, {});
  await (await opening.response).arrayBuffer();
  const batch = exchangeOf([wait(1), wait(2)], { "mcp-session-id": transport.sessionId });
  await transport.serve(batch, {});
  await inside;
  await transport.close();
  expect(await (await batch.response).json()).toMatchObject([
    { id: 1, error: { code: -32603 } },
    { id: 2, error: { code: -32603 } },
  ]);
});

test("the id of a request that could not be answered is free again", async () => {
  const { transport, headers, entered, proceed } = await waiting({});
  const first = entered();
  await transport.serve(unanswerable(wait(1), headers), {});
  await first;
  proceed();
  await expect.poll(() => transport.busy).toBe(false);
  const second = entered();
  const again = exchangeOf(wait(1), headers);
  await transport.serve(again, {});
  await second;
  proceed();
  expect(await (await again.response).json()).toMatchObject({ id: 1, result: "done" });
  await transport.close();
});

test("a store that takes its time forgets a session after everything of it has arrived", async () => {
  const events: string[] = [];
  const memory = createMemoryEventStore();
  const arrivals: (() => void)[] = [];
  let forgotten = (): void => {};
  const over = new Promise<void>((resolve) => {
    forgotten = resolve;
  });
  let isSlow = false;
  const { transport, peer, headers, entered } = await waiting({
    eventStore: {
      ...memory,
      append: (stream, data) => {
        if (!isSlow) {
          return memory.append(stream, data);
        }
        events.push("append");
        return new Promise((resolve) => {
          arrivals.push(() => {
            events.push("arrive");
            resolve(memory.append(stream, data));
          });
        });
      },
      deleteSession: async (sessionId) => {
        events.push("delete");
        await memory.deleteSession(sessionId);
        forgotten();
      },
    },
  });
  const inside = entered();
  const call = exchangeOf(wait(1), headers);
  await transport.serve(call, {});
  await inside;
  const answer = await call.response;
  const accept = "text/event-stream";
  await transport.serve(new WebExchange(new Request(url, { headers: { ...headers, accept } })), {});
  isSlow = true;
  void peer.notify("notifications/message", { step: 1 });
  await transport.close();
  expect(events).toEqual(["append"]);
  arrivals.shift()?.();
  await over;
  expect(await answer.text()).toContain("-32603");
  expect(events).toEqual(["append", "arrive", "delete"]);
});

test("an onError that fails costs no answer", async () => {
  const onError = (): void => {
    throw new Error("the logger is down");
  };
  const getServer = (): never => {
    throw new Error("down");
  };
  await using handler = createStatelessHandler({ getServer, onError });
  const response = await handler.fetch(new Request(url, modern("tools/list")));
  expect(response.status).toBe(500);
});

test("serving never rejects, whatever the request or the answer to it throws", async () => {
  const errors: unknown[] = [];
  const options: StatelessHandlerOptions = {
    getServer: () => undefined,
    allowedOrigins: ["https://example.com"],
    onError: (error) => errors.push(error),
  };
  const endpoint = new Endpoint(options, readLimits({}, statelessHandlerLimits));
  const exchange = Object.assign(exchangeOf({}), {
    header: () => {
      throw new Error("no headers");
    },
    respond: () => {
      throw new Error("a hook failed");
    },
  });
  await endpoint.serve(exchange, {});
  expect(errors).toMatchObject([{ message: "no headers" }, { message: "a hook failed" }]);
  await endpoint.close(0);
});

test("a server that throws instead of handling a request answers it with an error, and occupies no place", async () => {
  const errors: unknown[] = [];
  const server = {
    connect: () => Promise.reject(new Error("unused")),
    handle: () => {
      throw new Error("no database");
    },
  };
  await using handler = createStatelessHandler({
    getServer: () => server,
    onError: (error) => errors.push(error),
    limits: { maxInFlight: 1 },
  });
  for (let count = 1; count <= 2; count++) {
    const response = await handler.fetch(new Request(url, modern("tools/list")));
    expect(await response.json()).toMatchObject({
      id: 1,
      error: { code: -32603, message: "Internal error" },
    });
  }
  expect(errors).toMatchObject([{ message: "no database" }, { message: "no database" }]);
});
