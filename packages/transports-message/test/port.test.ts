import { once } from "node:events";
import { MessageChannel, Worker, type MessagePort } from "node:worker_threads";

import { isLocalError, Peer, type Message, type RequestId, type ResultResponse } from "@tenon/jsonrpc2";
import { transportConformance, type ConnectedPair } from "@tenon/jsonrpc2/testing";
import { compiledProgram } from "@tenon/test-support/processes";
import { describe, expect, test } from "vitest";

import { portTransport, type PortOptions } from "../src/index.ts";

async function connect(options?: PortOptions): Promise<ConnectedPair & { readonly port: MessagePort }> {
  const { port1, port2 } = new MessageChannel();
  return {
    left: await portTransport(port1, options).connect(),
    right: await portTransport(port2, options).connect(),
    port: port1,
  };
}

describe.each([
  ["by default", {}],
  ["with room for one message", { limits: { maxQueued: 1 } }],
  ["with room for half a megabyte", { limits: { maxBufferedBytes: 512 * 1024 } }],
] as [string, PortOptions][])("the kit over a MessageChannel of Node, %s", (_name, options) => {
  transportConformance({ test }, () => connect(options), {
    connect: (connectOptions) => portTransport(new MessageChannel().port1, options).connect(connectOptions),
    inject: async (pair, text) => {
      const { port } = pair as Awaited<ReturnType<typeof connect>>;
      port.postMessage(text);
    },
    checkTimeoutMs: 300_000,
    countResources: () => process.getActiveResourcesInfo().filter((name) => name.includes("Port")).length,
  });
});

const note = (n: number): Message => ({ jsonrpc: "2.0", method: "m", params: { n } });

/** A thread that answers calls of `echo`, and ends where `end` is called. */
async function echoing(): Promise<{ worker: Worker; port: MessagePort }> {
  const program = await compiledProgram(new URL("fixtures/echo.ts", import.meta.url));
  const { port1, port2 } = new MessageChannel();
  const worker = new Worker(program, { workerData: { port: port2 }, transferList: [port2] });
  return { worker, port: port1 };
}

test("a thread answers over its port, and both see the end of the other", async () => {
  const { worker, port } = await echoing();
  const ended = once(worker, "exit");
  await using peer = new Peer(await portTransport(port).connect());
  expect(await peer.call("echo", { a: 1 })).toEqual({ a: 1 });
  await peer.close();
  // The thread ends because nothing is left that keeps it alive.
  expect(await ended).toEqual([0]);
});

test.each(["exit", "terminate"])("a thread that ends by %s breaks the connection", async (how) => {
  const { worker, port } = await echoing();
  await using peer = new Peer(await portTransport(port).connect());
  expect(await peer.call("echo", {})).toEqual({});
  const call = peer.call("never");
  if (how === "exit") {
    void peer.notify("exit");
  } else {
    void worker.terminate();
  }
  await expect(call).rejects.toMatchObject({ code: "CONNECTION_CLOSED" });
  expect((await peer.closed).error).toMatchObject({ message: expect.stringContaining("has probably ended") });
});

test("a port whose other side closes without a word ends the connection normally, if it was not this package", async () => {
  const { port1, port2 } = new MessageChannel();
  const link = await portTransport(port1).connect();
  port2.postMessage(note(1));
  port2.close();
  expect(await link.read()).toEqual(note(1));
  expect(await link.read()).toBeUndefined();
  await expect(link.write(note(1))).rejects.toMatchObject({ code: "CONNECTION_CLOSED" });
});

test("a port that was closed before connect gives a connection that has ended", async () => {
  const { port1, port2 } = new MessageChannel();
  const transport = portTransport(port1);
  const closed = once(port1, "close");
  port2.close();
  await closed;
  const link = await transport.connect();
  expect(await link.read()).toBeUndefined();
  await expect(link.write(note(1))).rejects.toMatchObject({ code: "CONNECTION_CLOSED" });
});

test("a message above the limit of the remote peer is refused before it is sent", async () => {
  const { port1, port2 } = new MessageChannel();
  const left = await portTransport(port1).connect();
  const right = await portTransport(port2, { limits: { maxMessageBytes: 1000 } }).connect();
  await right.write(note(1));
  await left.read();
  const large: Message = { jsonrpc: "2.0", method: "m", params: { text: "x".repeat(1000) } };
  await expect(left.write(large)).rejects.toMatchObject({
    code: "LIMIT_EXCEEDED",
    message: expect.stringContaining("of 1000 characters (maxMessageBytes)"),
  });
  await left.write(note(2));
  expect(await right.read()).toEqual(note(2));
  await left.close();
});

test("more than maxWaiting writes are refused, and so is more text than 16 times maxBufferedBytes", async () => {
  const { left } = await connect({ limits: { maxQueued: 1, maxWaiting: 2 } });
  await left.write(note(0));
  const waiting = [left.write(note(1)), left.write(note(2))];
  await expect(left.write(note(3))).rejects.toMatchObject({ code: "LIMIT_EXCEEDED" });
  await left.close();
  expect(await Promise.allSettled(waiting)).toMatchObject([{ status: "rejected" }, { status: "rejected" }]);

  const small = await connect({ limits: { maxBufferedBytes: 10 } });
  await small.left.write(note(0));
  const writes = await Promise.allSettled([
    ...Array.from({ length: 10 }, (_, n) => small.left.write(note(n))),
    small.left.close(),
  ]);
  expect(
    writes.map(({ status, ...rest }) => ("reason" in rest ? (rest.reason as { code: string }).code : status)),
  ).toEqual([
    ...Array.from({ length: 3 }, () => "CONNECTION_CLOSED"),
    ...Array.from({ length: 7 }, () => "LIMIT_EXCEEDED"),
    "fulfilled",
  ]);
});

test("a peer that reads nothing gets short responses above the limits up to a sum, and no batches of requests", async () => {
  const { left, right } = await connect({ limits: { maxQueued: 1, maxWaiting: 1 } });
  await left.write(note(0));
  const waiting = [left.write(note(1))];
  const limit = { code: "LIMIT_EXCEEDED" };
  await expect(left.write([note(2)])).rejects.toMatchObject(limit);
  const response = { jsonrpc: "2.0", id: 1, result: "x".repeat(65_000) } as const;
  for (let n = 0; n < 257; n++) {
    waiting.push(left.write(response));
  }
  await expect(left.write(response)).rejects.toMatchObject(limit);
  for (let n = 0; n < 3; n++) {
    await right.read();
  }
  waiting.push(left.write(response));
  await left.close();
  const outcomes = await Promise.allSettled(waiting);
  expect(
    outcomes.filter((each) => each.status === "rejected" && isLocalError(each.reason, "LIMIT_EXCEEDED")),
  ).toEqual([]);
});

test("a request gets a response although its receiver holds more than the limits of unread text", async () => {
  const { port1, port2 } = new MessageChannel();
  const lengths: Readonly<Record<string, number>> = {
    first: 300,
    second: 2_000_000,
    long: 100_000,
    short: 1,
  };
  await using server = new Peer(
    await portTransport(port1, { limits: { maxBufferedBytes: 10, maxWaiting: 1 } }).connect(),
    { handler: ({ method }) => "x".repeat(lengths[method] ?? 0), onError: () => {} },
  );
  const client = await portTransport(port2, { limits: { maxBufferedBytes: 10 } }).connect();
  const methods = Object.keys(lengths);
  for (const [id, method] of methods.entries()) {
    await client.write({ jsonrpc: "2.0", id, method });
  }
  await expect.poll(() => server.received).toBe(methods.length);
  const outcomes = new Map<RequestId, string>();
  while (outcomes.size < methods.length) {
    const { id, ...response } = (await client.read()) as ResultResponse;
    outcomes.set(id, "result" in response ? `${String(response.result).length} characters` : "an error");
  }
  expect(Object.fromEntries(outcomes)).toEqual({
    0: "300 characters",
    1: "2000000 characters",
    2: "an error",
    3: "1 characters",
  });
  await client.close();
});

test("what the platform cannot clone is NOT_SERIALIZABLE, with its error as the cause, and the next message passes", async () => {
  const { port1, port2 } = new MessageChannel();
  const cause = new DOMException("Out of memory.", "DataCloneError");
  const post = port1.postMessage.bind(port1);
  port1.postMessage = (message: unknown) => {
    if (JSON.stringify(message).length > 1000) {
      throw cause;
    }
    post(message);
  };
  const left = await portTransport(port1).connect();
  const right = await portTransport(port2).connect();
  await expect(left.write({ jsonrpc: "2.0", method: "x".repeat(1000) })).rejects.toMatchObject({
    code: "NOT_SERIALIZABLE",
    cause,
  });
  await left.write(note(1));
  expect(await right.read()).toEqual(note(1));
  await left.close();
});

test("a port that throws breaks its connection", async () => {
  const { port1 } = new MessageChannel();
  port1.postMessage = () => {
    throw new Error("broken");
  };
  const link = await portTransport(port1).connect();
  await expect(link.write(note(1))).rejects.toMatchObject({ code: "CONNECTION_CLOSED" });
  await expect(link.read()).rejects.toThrow("broken");
});

test("a port connects once, and other things do not connect", async () => {
  const { port1 } = new MessageChannel();
  const transport = portTransport(port1);
  await transport.connect();
  await expect(transport.connect()).rejects.toMatchObject({ code: "INVALID_STATE" });
  port1.close();
  // @ts-expect-error: A worker is not a port.
  expect(() => portTransport({ postMessage() {} })).toThrow("transfer one of its ports");
  // @ts-expect-error: Misspelt.
  expect(() => portTransport(port1, { limit: {} })).toThrow("Did you mean limits?");
  expect(() => portTransport(port1, { limits: { maxQueued: 0 } })).toThrow("limits.maxQueued must be");
});
