import { Client, Server, type ClientOptions, type ServerSession } from "@tenon/mcp";
import type { Revision, Root } from "@tenon/protocol";
import { legacyRevision, modernRevision } from "@tenon/test-support";
import { createInMemoryTransports } from "@tenon/transports-memory";
import { expect, test } from "vitest";

import { connectPair, textOf } from "./pair.ts";
import { openServerWire } from "./server-wire.ts";

const a: Root = { uri: "file:///a" };
const b: Root = { uri: "file:///b", name: "b" };

async function connect(
  revision: Revision,
  options: ClientOptions,
  onRootsListChanged?: (session: ServerSession) => void,
): Promise<{ client: Client; server: Server; here: ServerSession } & AsyncDisposable> {
  const server = new Server({ name: "s", version: "1" }, { onRootsListChanged });
  const client = new Client({ name: "c", version: "1" }, { revisions: [revision], ...options });
  const [clientEnd, serverEnd] = createInMemoryTransports();
  const here = await server.connect(serverEnd);
  const session = await client.connect(clientEnd);
  await session.ping();
  return {
    client,
    server,
    here,
    async [Symbol.asyncDispose]() {
      await client.close();
      await server.close({ drainMs: 0 });
    },
  };
}

async function collect(session: ServerSession): Promise<Root[]> {
  const roots: Root[] = [];
  for await (const root of session.roots()) {
    roots.push(root);
  }
  return roots;
}

test("roots come and go while connected, and legacy servers are told of each change (S-110, S-111, S-112, S-113, S-114, S-115, S-116, S-117, S-120, R-600)", async () => {
  const told: ServerSession[] = [];
  await using pair = await connect(legacyRevision, { roots: [a] }, (session) => told.push(session));
  const { client, here } = pair;
  expect(here.clientCapabilities).toMatchObject({ roots: { listChanged: true } });
  expect(await here.listRoots()).toEqual([a]);
  expect(told).toEqual([]);

  client.addRoots(b, { ...a, name: "renamed" });
  expect(await here.listRoots()).toEqual([{ ...a, name: "renamed" }, b]);
  expect(told).toEqual([here]);

  expect(client.removeRoots("file:///nothing")).toBe(false);
  expect(client.removeRoots(a.uri)).toBe(true);
  expect(await here.listRoots()).toEqual([b]);
  expect(told).toHaveLength(2);

  client.setRoots([]);
  expect(await here.listRoots()).toEqual([]);
  expect(client.roots).toEqual([]);
  expect(told).toHaveLength(3);
});

test("the roots of a session are asked for once, and again after a change (S-118)", async () => {
  let asked = 0;
  await using pair = await connect(legacyRevision, { roots: [a] });
  pair.client.addReceivingMiddleware((next) => (request) => {
    asked += request.method === "roots/list" ? 1 : 0;
    return next(request);
  });
  expect(await collect(pair.here)).toEqual([a]);
  expect(await collect(pair.here)).toEqual([a]);
  expect(asked).toBe(1);
  pair.client.addRoots(b);
  // Whatever is asked after the notification arrives after it.
  await pair.here.listRoots();
  expect(await collect(pair.here)).toEqual([a, b]);
  expect(asked).toBe(3);
});

test("a client without roots does not speak of them, and is not asked (S-119, R-602, R-603)", async () => {
  const told: unknown[] = [];
  await using pair = await connect(legacyRevision, {}, (session) => told.push(session));
  await expect(pair.here.listRoots()).rejects.toMatchObject({ code: "CAPABILITY_MISSING" });
  pair.client.addRoots(a);
  await expect(pair.here.request("roots/list")).rejects.toMatchObject({ code: "CAPABILITY_MISSING" });
  expect(told).toEqual([]);

  await using wire = await openServerWire(legacyRevision);
  await wire.send({ id: 1, method: "roots/list" });
  expect(await wire.next()).toMatchObject({ id: 1, error: { code: -32601 } });
  wire.client.addRoots(a);
  await wire.send({ id: 2, method: "roots/list" });
  expect(await wire.next()).toMatchObject({ id: 2, error: { code: -32601 } });
});

test("modern servers ask in their results, see changes without being told, and sessions cannot be asked", async () => {
  const client: ClientOptions = { roots: [a] };
  const counts: number[] = [];
  await using pair = await connectPair({ client }, (server) => {
    server.addTool({ name: "count" }, async (_, ctx) => {
      const roots = await ctx.listRoots();
      counts.push(roots.length);
      await expect(ctx.session?.listRoots()).rejects.toMatchObject({ code: "NOT_IN_REVISION" });
      return String(roots.length);
    });
  });
  expect(textOf(await pair.session.callTool({ name: "count" }))).toBe("1");
  pair.client.addRoots(b);
  expect(textOf(await pair.session.callTool({ name: "count" }))).toBe("2");
  expect(counts).toEqual([1, 2]);

  await using wire = await openServerWire(modernRevision, { roots: [a] });
  wire.client.addRoots(b);
  const ping = wire.session.listTools();
  expect(
    await wire.answer({ resultType: "complete", tools: [], ttlMs: 0, cacheScope: "private" }),
  ).toMatchObject({
    method: "tools/list",
  });
  await ping;
});

test("a root is a file URI (R-601)", () => {
  for (const uri of ["https://example.com/", "/etc", "file:relative", ""]) {
    expect(() => new Client({ name: "c", version: "1" }, { roots: [{ uri }] })).toThrow(
      expect.objectContaining({ code: "INVALID_DEFINITION" }) as Error,
    );
  }
  const client = new Client({ name: "c", version: "1" }, { roots: [a] });
  expect(() => client.setRoots([b, { uri: "no" }])).toThrow("file://");
  expect(client.roots).toEqual([a]);
});

test("every legacy server hears of new roots, also one that was connected to later; modern ones are not told (S-111, S-117)", async () => {
  const client = new Client({ name: "c", version: "1" }, { roots: [a] });
  const told: string[] = [];
  const open = async (name: string, revision: Revision): Promise<() => Promise<void>> => {
    const server = new Server(
      { name, version: "1" },
      { revisions: [revision], onRootsListChanged: () => told.push(name) },
    );
    const [clientEnd, serverEnd] = createInMemoryTransports();
    await server.connect(serverEnd);
    const session = await client.connect(clientEnd);
    return () => session.ping();
  };
  const pings = [await open("first", "2024-11-05"), await open("second", "2025-11-25")];
  pings.push(await open("modern", "2026-07-28"));
  client.addRoots(b);
  await Promise.all(pings.map((ping) => ping()));
  expect(told).toEqual(["first", "second"]);
  pings.push(await open("third", "2025-06-18"));
  client.removeRoots(b.uri);
  await Promise.all(pings.map((ping) => ping()));
  expect(told).toEqual(["first", "second", "first", "second", "third"]);
  await client.close();
});
