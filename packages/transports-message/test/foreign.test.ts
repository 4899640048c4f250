import { once } from "node:events";
import { MessageChannel, type MessagePort } from "node:worker_threads";

import { isMalformed, Peer, type Connection } from "@tenon/jsonrpc2";
import { expect, test } from "vitest";

import { portTransport, type MessageLimits } from "../src/index.ts";

/** A connection, and the other port for a program that does not use this package. */
async function beside(limits?: MessageLimits): Promise<{ link: Connection; port: MessagePort }> {
  const { port1, port2 } = new MessageChannel();
  return { link: await portTransport(port1, { limits }).connect(), port: port2 };
}

const note = (n: number): object => ({ jsonrpc: "2.0", method: "m", params: { n } });

test("a peer that posts JSON-RPC objects gets JSON-RPC objects", async () => {
  const { link, port } = await beside();
  const answered = once(port, "message");
  await using peer = new Peer(link, { handler: ({ params }) => params });
  port.postMessage({ jsonrpc: "2.0", id: 1, method: "echo", params: { a: [1] }, unset: undefined });
  expect(await answered).toEqual([{ jsonrpc: "2.0", id: 1, result: { a: [1] } }]);
  await peer.close();
  port.close();
});

test("nothing is sent before the first write, and control frames are no JSON-RPC", async () => {
  const { link, port } = await beside();
  const seen: unknown[] = [];
  const second = new Promise<void>((resolve) => {
    port.on("message", (data: unknown) => {
      seen.push(data);
      if (seen.length === 2) {
        resolve();
      }
    });
  });
  await new Promise(setImmediate);
  expect(seen).toEqual([]);
  await link.write({ jsonrpc: "2.0", method: "m" });
  await second;
  expect(seen[0]).not.toHaveProperty("jsonrpc");
  expect(seen[1]).toEqual({ jsonrpc: "2.0", method: "m" });
  await link.close();
});

test("writes to a peer that acknowledges nothing do not wait once it has sent a message", async () => {
  const { link, port } = await beside({ maxQueued: 4 });
  port.postMessage(note(0));
  await link.read();
  await Promise.all(Array.from({ length: 100 }, () => link.write({ jsonrpc: "2.0", method: "m" })));
  await link.close();
});

const cycle: { self?: object } = {};
cycle.self = cycle;
const sparse: unknown[] = [];
sparse.length = 2 ** 31;
let doubled: object = {};
for (let level = 0; level < 400; level++) {
  doubled = { a: doubled, b: doubled };
}

test.each<[string, unknown, string]>([
  ["a Map", new Map([["jsonrpc", "2.0"]]), "JSON has no Map"],
  ["a Date in params", { ...note(1), id: 7, params: { at: new Date(0) } }, "JSON has no Date"],
  ["a bigint", { ...note(1), id: 7, params: [1n] }, "JSON has no bigint"],
  ["a number that is not finite", { ...note(1), id: 7, params: [Number.NaN] }, "JSON has no NaN"],
  [
    "a hole in an array",
    { ...note(1), id: 7, params: Array.from({ length: 1, 0: undefined }) },
    "JSON has no undefined",
  ],
  ["bytes", new Uint8Array(8), "JSON has no Uint8Array"],
  ["a cycle", { ...note(1), id: 7, params: cycle }, "nested deeper than 512 levels"],
  ["an array of two billion holes", { ...note(1), id: 7, params: sparse }, "values (maxValues)"],
  ["an object that is huge when written out", { ...note(1), id: 7, params: doubled }, "values (maxValues)"],
  ["a long string", { ...note(1), id: 7, params: ["x".repeat(20_000_000)] }, "longer than 10485760 bytes"],
  ["a number", 1, "a message must be a JSON object"],
  ["an object of another protocol", { type: "hello" }, 'expected "method", "result" or "error"'],
])("%s is malformed input, with the id of its request, and reading goes on", async (_, data, message) => {
  const { link, port } = await beside();
  port.postMessage(data);
  port.postMessage(note(1));
  const read = await link.read();
  expect(read !== undefined && isMalformed(read) && read.malformed.message).toContain(message);
  const { id } = (typeof data === "object" ? data : {}) as { id?: number };
  expect(read).toMatchObject(id === undefined ? {} : { id });
  expect(await link.read()).toEqual(note(1));
  await link.close();
});

test("a response that cannot be read fails its call at once", async () => {
  const { link, port } = await beside();
  port.on("message", ({ jsonrpc, id }: { jsonrpc?: string; id?: number }) => {
    if (jsonrpc === "2.0") {
      port.postMessage({ jsonrpc: "2.0", id, result: new Set() });
    }
  });
  await using peer = new Peer(link, { onError: () => {} });
  await expect(peer.call("m")).rejects.toThrow("JSON has no Set");
  port.close();
});

test("data that the platform cannot deserialize is malformed input", async () => {
  const { port1, port2 } = new MessageChannel();
  const link = await portTransport(port1).connect();
  port1.dispatchEvent(new Event("messageerror"));
  port2.postMessage(note(1));
  expect(await link.read()).toMatchObject({ malformed: { code: -32_700 } });
  expect(await link.read()).toEqual(note(1));
  await link.close();
});

test.each<[string, MessageLimits, unknown]>([
  ["messages", { maxQueued: 2 }, note(1)],
  ["input that is not a message", { maxQueued: 2 }, "nonsense"],
  ["characters", { maxBufferedBytes: 100 }, { ...note(1), params: { text: "x".repeat(100) } }],
])("a peer that floods a side that does not read with %s is disconnected", async (_, limits, data) => {
  const { link, port } = await beside(limits);
  const closed = new Promise((resolve) => {
    port.once("close", resolve);
  });
  for (let n = 0; n < 100; n++) {
    port.postMessage(data);
  }
  port.start();
  await closed;
  let read = 0;
  const drained = (async () => {
    for (; (await link.read()) !== undefined; read++) {
      // Only counted.
    }
  })();
  await expect(drained).rejects.toMatchObject({ code: "LIMIT_EXCEEDED" });
  expect(read).toBeGreaterThan(0);
  expect(read).toBeLessThan(40);
  await expect(link.write({ jsonrpc: "2.0", method: "m" })).rejects.toMatchObject({
    code: "CONNECTION_CLOSED",
  });
});

test("control frames of another version or of a liar are ignored", async () => {
  const { link, port } = await beside();
  for (const control of [
    null,
    { kind: "later" },
    { kind: "read", count: -1 },
    { kind: "read", count: 1e9 },
    { kind: "open", id: 1 },
    {
      kind: "open",
      id: "x",
      isReply: false,
      room: { maxQueued: 0, maxBufferedBytes: 1, maxMessageBytes: 1 },
    },
  ]) {
    port.postMessage({ "dev.tenon/link": control });
  }
  port.postMessage(note(1));
  expect(await link.read()).toEqual(note(1));
  await link.write({ jsonrpc: "2.0", method: "m" });
  await link.close();
});
