import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { Peer } from "@tenon/jsonrpc2";
import { transportConformance, type ConnectedPair } from "@tenon/jsonrpc2/testing";
import { afterAll, beforeAll, expect, test } from "vitest";

import { socketConnection, socketTransport } from "../src/socket-transport.ts";

let folder = "";
let server: Server;
const accepted: Socket[] = [];

const path = (): string =>
  process.platform === "win32" ? "\\\\.\\pipe\\tenon-example" : join(folder, "socket");

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "tenon-"));
  server = createServer({ noDelay: true }, (socket) => accepted.push(socket));
  server.listen(path());
  await once(server, "listening");
});

afterAll(async () => {
  server.close();
  await rm(folder, { recursive: true });
});

/** The server's side is the left one here, because its socket is at hand to write raw text. */
async function connectPair(): Promise<ConnectedPair & { socket: Socket }> {
  const [right] = await Promise.all([socketTransport(path()).connect(), once(server, "connection")]);
  const socket = accepted.pop();
  if (socket === undefined) {
    throw new Error("The server has no connection.");
  }
  return { left: socketConnection(socket), right, socket };
}

// #region kit
transportConformance({ test }, connectPair, {
  connect: (options) => socketTransport(path()).connect(options),
  inject: async (pair, text) => {
    (pair as ConnectedPair & { socket: Socket }).socket.write(`${text}\n`);
  },
  countResources: () => process.getActiveResourcesInfo().filter((name) => name.includes("Pipe")).length,
});
// #endregion kit

test("a client and a server talk over it", async () => {
  const { left, right } = await connectPair();
  await using _server = new Peer(right, { handler: ({ params }) => params });
  await using client = new Peer(left);
  expect(await client.call("echo", { hello: "world" })).toEqual({ hello: "world" });
});

test("a socket that nobody listens to rejects connect", async () => {
  await expect(socketTransport(join(folder, "nobody")).connect()).rejects.toThrow(/ENOENT|ECONNREFUSED/);
});

test("the transport has at most thirty lines", async () => {
  const source = await readFile(new URL("../src/socket-transport.ts", import.meta.url), "utf8");
  const region = /\/\/ #region transport\n(.*)\/\/ #endregion transport/s.exec(source)?.[1] ?? "";
  const lines = region.split("\n").filter((line) => line.trim() !== "");
  expect(lines.length).toBeGreaterThan(10);
  expect(lines.length).toBeLessThanOrEqual(30);
});
