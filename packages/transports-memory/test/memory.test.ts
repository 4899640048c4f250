import { encode, isLocalError, Peer, type Connection } from "@tenon/jsonrpc2";
import { transportConformance } from "@tenon/jsonrpc2/testing";
import { describe, expect, test } from "vitest";

import { createInMemoryTransports, type InMemoryOptions } from "../src/index.ts";

async function connect(options?: InMemoryOptions): Promise<[Connection, Connection]> {
  const [left, right] = createInMemoryTransports(options);
  return [await left.connect(), await right.connect()];
}

const note = (n: number): { jsonrpc: "2.0"; method: string; params: { n: number } } => ({
  jsonrpc: "2.0",
  method: "m",
  params: { n },
});

async function codeOf(promise: Promise<unknown>): Promise<unknown> {
  try {
    await promise;
  } catch (error) {
    return isLocalError(error) ? error.code : error;
  }
  return undefined;
}

describe.each([
  ["serialising", { serialize: true }],
  ["zero-copy", { serialize: false }],
  ["serialising, with room for one message", { limits: { maxQueued: 1 } }],
] as [string, InMemoryOptions][])("the kit, %s", (_name, options) => {
  transportConformance(
    { test },
    async () => {
      const [left, right] = await connect(options);
      return { left, right };
    },
    {
      shared: options.serialize === false,
      checkTimeoutMs: 300_000,
      connect: (connectOptions) => createInMemoryTransports(options)[0].connect(connectOptions),
    },
  );
});

test("what one side writes is a copy on the other by default (S-040)", async () => {
  const [left, right] = await connect();
  const message = note(1);
  await left.write(message);
  message.params.n = 2;
  const received = await right.read();
  expect(received).toEqual(note(1));
  expect(received).not.toBe(message);
});

test("the zero-copy option hands the object itself over", async () => {
  const [left, right] = await connect({ serialize: false });
  const message = note(1);
  await left.write(message);
  expect(await right.read()).toBe(message);
  await left.write([message]);
  expect(await right.read()).toEqual({ batch: [message] });
});

test("at most maxQueued messages are under way; further writes wait, and more than maxWaiting are refused", async () => {
  const [left, right] = await connect({ limits: { maxQueued: 2, maxWaiting: 1 } });
  await left.write(note(1));
  await left.write(note(2));
  let accepted = false;
  const third = left.write(note(3)).then(() => {
    accepted = true;
    return accepted;
  });
  expect(await codeOf(left.write(note(4)))).toBe("LIMIT_EXCEEDED");
  expect(accepted).toBe(false);
  expect(await right.read()).toEqual(note(1));
  expect(await third).toBe(true);
  expect([await right.read(), await right.read()]).toEqual([note(2), note(3)]);
});

test("an aborted write that waited is not sent", async () => {
  const [left, right] = await connect({ limits: { maxQueued: 1 } });
  await left.write(note(1));
  const abort = new AbortController();
  const second = left.write(note(2), { signal: abort.signal });
  const third = left.write(note(3));
  abort.abort("enough");
  expect(await codeOf(second)).toBe("enough");
  expect([await right.read(), await right.read()]).toEqual([note(1), note(3)]);
  await third;
});

test("each end connects once", async () => {
  const [left] = createInMemoryTransports();
  await left.connect();
  expect(await codeOf(left.connect())).toBe("INVALID_STATE");
});

test("an aborted attempt to connect leaves the end free", async () => {
  const [left] = createInMemoryTransports();
  expect(await codeOf(left.connect({ signal: AbortSignal.abort("no") }))).toBe("no");
  await left.connect();
});

test("a message of any size and a result of any depth the decoder allows pass", async () => {
  const [left, right] = await connect();
  const big = { jsonrpc: "2.0", method: "m", params: { text: "x".repeat(20_000_000) } } as const;
  await left.write(big);
  const received = await right.read();
  expect(received !== undefined && "method" in received && encode(received).length).toBe(encode(big).length);
});

test("two peers talk, and the end of one is the end of the other", async () => {
  const [left, right] = await connect();
  const server = new Peer(right, { handler: ({ params }) => params });
  const client = new Peer(left);
  expect(await client.call("echo", { a: 1 })).toEqual({ a: 1 });
  await server.close();
  expect(await client.closed).toEqual({});
});
