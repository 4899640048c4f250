import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer, connect, type Socket } from "node:net";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { promisify } from "node:util";

import { Peer, type Connection } from "@tenon/jsonrpc2";
import { transportConformance, type ConnectedPair } from "@tenon/jsonrpc2/testing";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";

import { cancelRequest } from "../src/cancel-request.ts";
import { contentLengthConnection } from "../src/content-length.ts";

const server = createServer();
beforeAll(async () => {
  await once(server.listen(0, "127.0.0.1"), "listening");
});
afterAll(() => void server.close());

function connectionOf(socket: Socket): Connection {
  const chunks = socket[Symbol.asyncIterator]() as AsyncIterator<Uint8Array, undefined>;
  socket.on("error", () => {});
  return contentLengthConnection({
    read: async () => (await chunks.next()).value,
    write: promisify((text: string, done: (error?: Error | null) => void) => socket.write(text, done)),
    async close() {
      await Promise.race([
        new Promise<void>((flushed) => socket.end(flushed)),
        setTimeout(500, undefined, { ref: false }),
      ]);
      socket.destroy();
    },
  });
}

async function sockets(): Promise<readonly [Socket, Socket]> {
  const { port } = server.address() as { port: number };
  const right = connect(port, "127.0.0.1");
  const [left] = (await once(server, "connection")) as [Socket];
  return [left, right];
}

async function connectPair(): Promise<ConnectedPair & { readonly socket: Socket }> {
  const [left, right] = await sockets();
  return { left: connectionOf(left), right: connectionOf(right), socket: left };
}

transportConformance({ test }, connectPair, {
  inject: async (pair, text) => {
    const { socket } = pair as ConnectedPair & { readonly socket: Socket };
    socket.write(`Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`);
  },
  checkTimeoutMs: 300_000,
});

test("messages with line breaks, further headers and any chunks are read", async () => {
  const [left, right] = await sockets();
  const connection = connectionOf(right);
  const text = JSON.stringify({ jsonrpc: "2.0", method: "hä" }, undefined, 2);
  const frame = `Content-Type: application/vscode-jsonrpc\r\ncontent-length: ${Buffer.byteLength(text)}\r\n\r\n${text}`;
  for (const byte of Buffer.from(frame + frame)) {
    left.write(Buffer.of(byte));
  }
  expect(await connection.read()).toMatchObject({ method: "hä" });
  expect(await connection.read()).toMatchObject({ method: "hä" });
  await connection.close();
  left.destroy();
});

test.each([
  ["without a length", "Hello: 1\r\n\r\n", "Header must contain Content-Length"],
  ["that never ends", "x".repeat(9000), "Header exceeds the limit of 8192 bytes"],
])("a header %s breaks the connection", async (_, text, message) => {
  const [left, right] = await sockets();
  const connection = connectionOf(right);
  left.write(text);
  await expect(connection.read()).rejects.toThrow(message);
  await connection.close();
  left.destroy();
});

test("an editor opens a document and gets its diagnostics from the program", async () => {
  const child = spawn(process.execPath, [join(import.meta.dirname, "../dist/server.js")]);
  const exited = once(child, "exit");
  const chunks = child.stdout[Symbol.asyncIterator]() as AsyncIterator<Uint8Array, undefined>;
  const connection = contentLengthConnection({
    read: async () => (await chunks.next()).value,
    write: (text) => new Promise((resolve) => void child.stdin.write(text, () => resolve())),
    close: async () => void child.stdin.end(),
  });
  const editor = new Peer(connection);
  expect(await editor.call("initialize", { processId: null })).toMatchObject({ capabilities: {} });
  const textDocument = { uri: "file:///a.txt", text: "one\n TODO two\n" };
  await editor.notify("textDocument/didOpen", { textDocument });
  expect(await editor.call("textDocument/diagnostic", { textDocument })).toEqual({
    kind: "full",
    items: [{ line: 1, message: "TODO two" }],
  });
  await editor.close();
  await exited;
});

test("an aborted call cancels the request of the other side", async () => {
  const [left, right] = await sockets();
  const stop = new AbortController();
  const cancelled = new Promise<string>((resolve) => {
    const server = new Peer(connectionOf(left), {
      cancellation: cancelRequest,
      handler: ({ method, signal }) =>
        new Promise((settle) => {
          signal.addEventListener("abort", () => settle(resolve(method)));
          stop.abort();
        }),
    });
    onTestFinished(() => server.close());
  });
  await using client = new Peer(connectionOf(right), { cancellation: cancelRequest });
  const call = client.call("textDocument/hover", {}, { signal: stop.signal });
  await expect(call).rejects.toThrow("aborted");
  expect(await cancelled).toBe("textDocument/hover");
});
