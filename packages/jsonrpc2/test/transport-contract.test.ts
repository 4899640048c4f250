import { describe, expect, expectTypeOf, test } from "vitest";

import {
  connectionClosed,
  encode,
  LoggingTransport,
  Peer,
  type Connection,
  type Incoming,
  type Transport,
} from "../src/index.ts";
import { createPipe } from "./byte-pipe.ts";
import { cancellation, deferred, rejectionOf } from "./helpers.ts";

test("a transport connects, and does nothing else: its authorization is a description (S-010)", () => {
  expectTypeOf<keyof Transport>().toEqualTypeOf<"connect" | "authorization">();
  const members = ["constructor", "connect", "authorization"];
  expect(Object.getOwnPropertyNames(LoggingTransport.prototype)).toEqual(members);
});

test("a connection reads, writes and closes; it has neither calls nor notifications (S-011, S-012)", () => {
  expectTypeOf<keyof Connection>().toEqualTypeOf<
    | "read"
    | "write"
    | "close"
    | "sessionId"
    | "answersUnidentified"
    | "diagnosis"
    | "network"
    | "started"
    | typeof Symbol.asyncDispose
  >();
  const { left } = createPipe();
  expect(Object.keys(left)).not.toEqual(expect.arrayContaining(["call"]));
  expect(Object.keys(left)).not.toEqual(expect.arrayContaining(["notify"]));
});

/** Two ends that hand each other objects: the least that can be a transport. */
function handover(): { left: Connection; right: Connection } {
  const ends = [end(), end()] as const;
  function end(): { queue: Incoming[]; wake: () => void; closed: boolean } {
    return { queue: [], wake: () => {}, closed: false };
  }
  function connection(own: (typeof ends)[0], other: (typeof ends)[0]): Connection {
    const close = (): Promise<void> => {
      for (const side of ends) {
        side.closed = true;
        side.wake();
      }
      return Promise.resolve();
    };
    return {
      async read() {
        while (own.queue.length === 0 && !own.closed) {
          await new Promise<void>((resolve) => {
            own.wake = resolve;
          });
        }
        return own.queue.shift();
      },
      write(message) {
        if (own.closed) {
          return Promise.reject(connectionClosed());
        }
        other.queue.push(JSON.parse(encode(message)) as Incoming);
        other.wake();
        return Promise.resolve();
      },
      close,
      [Symbol.asyncDispose]: close,
    };
  }
  return { left: connection(...ends), right: connection(ends[1], ends[0]) };
}

async function logged(): Promise<{ left: Connection; right: Connection }> {
  const { left, right } = createPipe();
  const over = (inner: Connection): Transport => ({ connect: () => Promise.resolve(inner) });
  const log = { write: (): boolean => true };
  return {
    left: await new LoggingTransport(over(left), log).connect(),
    right: await new LoggingTransport(over(right), log).connect(),
  };
}

describe.each([
  ["objects handed over", async () => handover()],
  ["lines on a pipe of bytes", async () => createPipe()],
  ["a transport that logs", logged],
] as const)("%s", (_, connect) => {
  test("answers find their calls, in any order (S-012, S-014)", async () => {
    const { left, right } = await connect();
    const gate = deferred();
    await using _server = new Peer(right, {
      handler: async ({ method }) => {
        if (method === "slow") {
          await gate.promise;
        }
        return method;
      },
    });
    await using client = new Peer(left);
    const slow = client.call("slow");
    expect(await client.call("quick")).toBe("quick");
    gate.resolve();
    expect(await slow).toBe("slow");
  });

  test("a cancelled call rejects at once, its handler's signal fires, and it is not answered (S-014)", async () => {
    const { left, right } = await connect();
    const started = deferred<AbortSignal>();
    await using _server = new Peer(right, {
      cancellation,
      handler: ({ method, signal }) => {
        if (method !== "slow") {
          return method;
        }
        started.resolve(signal);
        return new Promise((resolve) => {
          signal.addEventListener("abort", () => resolve("too late"));
        });
      },
    });
    await using client = new Peer(left, { cancellation });
    const controller = new AbortController();
    const calling = rejectionOf(client.call("slow", undefined, { signal: controller.signal }));
    const signal = await started.promise;
    const aborted = new Promise((resolve) => {
      signal.addEventListener("abort", resolve);
    });
    controller.abort("enough");
    expect(await calling).toBe("enough");
    await aborted;
    expect(await client.call("next")).toBe("next");
  });

  test("close ends both peers, also while a read waits, and may be called again (S-014, S-015)", async () => {
    const { left, right } = await connect();
    const server = new Peer(right);
    const client = new Peer(left, { limits: { drainMs: 0 } });
    await Promise.all([client.close(), client.close()]);
    await client.close();
    expect(await server.closed).toEqual({});
    expect(await client.closed).toEqual({});
    await expect(client.call("m")).rejects.toMatchObject({ code: "CONNECTION_CLOSED" });
    await left.close();
    await right.close();
    expect(await right.read()).toBeUndefined();
  });

  test("a peer is at work as soon as it is there: what came before is handled (S-014)", async () => {
    const { left, right } = await connect();
    await left.write({ jsonrpc: "2.0", id: 1, method: "early" });
    await using _server = new Peer(right, { handler: ({ method }) => method });
    expect(await left.read()).toEqual({ jsonrpc: "2.0", id: 1, result: "early" });
    await left.close();
  });
});
