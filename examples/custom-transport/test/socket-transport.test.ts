import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { Peer } from "@tenon/jsonrpc2";
import { transportConformance, type ConnectedPair } from "@tenon/jsonrpc2/testing";
import { Client, Server as McpServer } from "@tenon/mcp";
import { afterAll, beforeAll, expect, test } from "vitest";

import { socketConnection, socketTransport } from "../src/socket-transport.ts";

let folder = "";
let server: Server;
let pairs = 0;

const path = (name = "socket"): string =>
  process.platform === "win32" ? `\\\\.\\pipe\\tenon-example-${process.pid}-${name}` : join(folder, name);

async function listen(at: string, onConnection?: (socket: Socket) => void): Promise<Server> {
  const listening = createServer({ noDelay: true }, onConnection).listen(at);
  await once(listening, "listening");
  return listening;
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "tenon-"));
  server = await listen(path(), (socket) => socket.resume());
});

afterAll(async () => {
  server.close();
  await rm(folder, { recursive: true });
});

/**
 * Each pair has a server of its own, so that no connection that was given up is taken for its other
 * end. The server's side is the left one, because its socket is at hand to write raw text.
 */
async function connectPair(): Promise<ConnectedPair & { socket: Socket }> {
  const own = path(`pair-${++pairs}`);
  const listening = await listen(own);
  const [right, [socket]] = await Promise.all([
    socketTransport(own).connect(),
    once(listening, "connection") as Promise<[Socket]>,
  ]);
  listening.close();
  return { left: socketConnection(socket), right, socket };
}

// #region kit
transportConformance({ test }, connectPair, {
  connect: (options) => socketTransport(path()).connect(options),
  inject: async (pair, text) => {
    (pair as ConnectedPair & { socket: Socket }).socket.write(`${text}\n`);
  },
  countResources: () => process.getActiveResourcesInfo().filter((name) => name.includes("Pipe")).length,
  checkTimeoutMs: 300_000,
});
// #endregion kit

test("two peers talk over it (S-013)", async () => {
  const { left, right } = await connectPair();
  await using _server = new Peer(right, { handler: ({ params }) => params });
  await using client = new Peer(left);
  expect(await client.call("echo", { hello: "world" })).toEqual({ hello: "world" });
});

test.each(["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"] as const)(
  "a client and a server in %s talk over it, one message a line (R-386, R-387)",
  async (revision) => {
    const { left, right, socket } = await connectPair();
    let written = "";
    socket.prependListener("data", (chunk: Buffer) => {
      written += chunk.toString("utf8");
    });
    const mcp = new McpServer({ name: "server", version: "1.0.0" });
    mcp.addTool({ name: "slow" }, async (_, ctx) => {
      await ctx.progress(1, 2);
      return "done";
    });
    mcp.addTool({ name: "hangs" }, (_, { signal }) => {
      return new Promise<string>((resolve) => {
        signal.addEventListener("abort", () => resolve(""));
      });
    });
    const serverSession = await mcp.connect({ connect: async () => left });
    const client = new Client({ name: "client", version: "1.0.0" }, { revisions: [revision] });
    const session = await client.connect({ connect: async () => right });
    const seen: number[] = [];
    const result = await session.callTool(
      { name: "slow" },
      { onProgress: ({ progress }) => seen.push(progress) },
    );
    expect(result.content).toEqual([{ type: "text", text: "done" }]);
    expect(seen).toEqual([1]);
    const abort = new AbortController();
    const hanging = session.callTool({ name: "hangs" }, { signal: abort.signal });
    await session.ping();
    abort.abort(new Error("enough"));
    await expect(hanging).rejects.toThrow("enough");
    await session.close();
    expect(await serverSession.closed).toEqual({});
    const methods = written
      .trimEnd()
      .split("\n")
      .map((line) => (JSON.parse(line) as { method: string }).method);
    expect(methods[0]).toBe(revision === "2026-07-28" ? "server/discover" : "initialize");
    expect(methods).toContain("tools/call");
    expect(methods.at(-1)).toBe("notifications/cancelled");
  },
);

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
