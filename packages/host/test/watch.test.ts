import { createServer } from "node:http";

import { createVirtualClock } from "@tenon/jsonrpc2/testing";
import { Server } from "@tenon/mcp";
import type { Revision } from "@tenon/protocol";
import { bothEras, legacyRevision } from "@tenon/test-support";
import { originOnFreePort } from "@tenon/test-support/http";
import { createStreamableHandler } from "@tenon/transports-streamable-http/server";
import { expect, test } from "vitest";

import { Manager, type ManagerOptions } from "../src/index.ts";
import { nodeTransports } from "../src/node.ts";
import { localServer, until, type LocalServer } from "./fixture.ts";

function watched(revision: Revision): LocalServer {
  return localServer(
    (server) => {
      for (const uri of ["x://1", "x://2"]) {
        server.addResource({ uri, name: uri }, () => uri);
      }
    },
    { server: { revisions: [revision], cache: { ttlMs: 60_000 } } },
  );
}

/** Follows a watch to its end, and remembers what it gave. */
function follow(manager: Manager, uri = "x://1", signal?: AbortSignal) {
  const seen: string[] = [];
  const end = (async (): Promise<unknown> => {
    try {
      for await (const update of manager.watchResource("a", uri, { signal })) {
        seen.push(update.uri);
      }
      return "ended";
    } catch (error) {
      return error;
    }
  })();
  return { seen, end };
}

const asked = ({ requests }: LocalServer): number =>
  requests.filter((method) => /^(?:resources\/subscribe|subscriptions\/listen)$/.test(method)).length;

async function connected(a: LocalServer, options: ManagerOptions = {}) {
  const clock = createVirtualClock();
  const manager = new Manager({ servers: { a: a.spec }, clock, random: () => 0, ...options });
  await manager.connectAll();
  return { clock, manager, listens: asked(a) };
}

test.each(bothEras)(
  "a watch gives the updates of its resource, and only of it, and makes what is kept of it stale (%s)",
  async (revision) => {
    const a = watched(revision);
    const { manager, listens } = await connected(a);
    await manager.readResource("a", "x://1");
    await manager.readResource("a", "x://2");
    const { seen, end } = follow(manager);
    await until(() => asked(a) === listens + 1 && [...a.server.sessions()].length === 1);
    await manager.get("a")?.ping();
    a.server.resourceUpdated("x://2");
    a.server.resourceUpdated("x://1");
    await until(() => seen.length === 1);
    expect(seen).toEqual(["x://1"]);
    expect(manager.cache?.get("a", "x://1")).toBeUndefined();
    expect(manager.cache?.get("a", "x://2")).toBeDefined();
    await manager.close();
    expect(await end).toBe("ended");
  },
);

test.each(bothEras)(
  "a watch goes on when its server was lost and is back: it asks again, and gives one update for what it may have missed (%s)",
  async (revision) => {
    const a = watched(revision);
    const { clock, manager } = await connected(a);
    const { seen, end } = follow(manager);
    await until(() => asked(a) > 0);
    await manager.get("a")?.ping();
    for (let loss = 1; loss <= 3; loss++) {
      const before = asked(a);
      await a.crash();
      await until(() => manager.snapshot.get("a")?.state === "reconnecting");
      clock.advance(500);
      await until(() => manager.names().length === 1);
      await until(() => asked(a) > before && seen.length === 2 * loss - 1);
      a.server.resourceUpdated("x://1");
      await until(() => seen.length === 2 * loss);
    }
    expect(new Set(seen)).toEqual(new Set(["x://1"]));
    await manager.close();
    expect(await end).toBe("ended");
    expect(clock.timers).toBe(0);
  },
);

test("a watch ends with an error when its server is given up, and quietly when it is closed on its way back", async () => {
  const a = watched(legacyRevision);
  const { clock, manager } = await connected(a, { reconnect: { maxRetries: 1 } });
  const given = follow(manager);
  await until(() => asked(a) === 1);
  a.refuse(new Error("gone"));
  await a.crash();
  await until(() => manager.snapshot.get("a")?.state === "reconnecting");
  clock.advance(500);
  expect(await given.end).toMatchObject({ code: "SERVER_GONE", server: "a" });
  expect(await follow(manager).end).toMatchObject({ code: "SERVER_GONE", server: "a" });
  a.refuse(undefined);
  await manager.connect("a");
  const closed = follow(manager);
  await until(() => asked(a) === 2);
  await manager.get("a")?.ping();
  await a.crash();
  await until(() => manager.snapshot.get("a")?.state === "reconnecting");
  await manager.close();
  expect(await closed.end).toBe("ended");
});

test("a watch ends with its signal's reason, and the server is asked to tell no more", async () => {
  const a = watched(legacyRevision);
  const { manager } = await connected(a);
  const controller = new AbortController();
  const { end } = follow(manager, "x://1", controller.signal);
  await until(() => asked(a) === 1);
  await manager.get("a")?.ping();
  controller.abort(new Error("enough"));
  expect(await end).toMatchObject({ message: "enough" });
  await until(() => a.requests.includes("resources/unsubscribe"));
  await manager.close();
});

test("a server that tells of no changes refuses the watch, and there may be only so many", async () => {
  const mute = localServer();
  const { manager } = await connected(mute);
  expect(await follow(manager).end).toMatchObject({ code: "CAPABILITY_MISSING" });
  await manager.close();
  const a = watched(legacyRevision);
  const limited = await connected(a, { limits: { maxWatches: 1 } });
  const one = follow(limited.manager);
  await until(() => asked(a) === 1);
  expect(await follow(limited.manager, "x://2").end).toMatchObject({ code: "LIMIT_EXCEEDED", server: "a" });
  await limited.manager.close();
  expect(await one.end).toBe("ended");
});

test("a server over HTTP that has forgotten the session is asked again to tell", async () => {
  const start = () => {
    const server = new Server({ name: "far", version: "1.0.0" }, { revisions: [legacyRevision] });
    server.addResource({ uri: "x://1", name: "one" }, () => "1");
    const asks: string[] = [];
    server.addReceivingMiddleware((next) => (request) => {
      asks.push(request.method);
      return next(request);
    });
    return { server, asks, handler: createStreamableHandler({ getServer: () => server }) };
  };
  const before = start();
  let far = before;
  const http = createServer((request, response) => void far.handler.node(request, response, {}));
  const origin = await originOnFreePort(http);
  const url = `${origin}/mcp`;
  const manager = new Manager({ servers: { a: { type: "http", url } }, transports: nodeTransports() });
  await manager.connectAll();
  const { seen, end } = follow(manager);
  await until(() => before.asks.includes("resources/subscribe"));
  far = start();
  await manager.readResource("a", "x://1");
  await until(() => far.asks.includes("resources/subscribe") && seen.length === 1);
  await manager.close();
  expect(await end).toBe("ended");
  for (const { handler } of [before, far]) {
    await handler.close({ drainMs: 0 });
  }
  http.closeAllConnections();
  http.close();
});
