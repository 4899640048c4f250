import { legacyRevision } from "@tenon/test-support";
import { expect, test } from "vitest";

import { addEcho, localServer, turns, until } from "./fixture.ts";
import { connected } from "./recovering.ts";

test("S-262, S-263: a lost server is connected to again after a wait with full jitter, and the events say so", async () => {
  const a = localServer();
  const { clock, manager, events } = await connected({ a });
  await manager.tools();
  await a.crash();
  await until(() => manager.snapshot.get("a")?.state === "reconnecting");
  a.refuse(new Error("still down"));
  clock.advance(499);
  await turns(5);
  expect(a.connects).toBe(1);
  clock.advance(1);
  await until(() => events.length === 3);
  a.refuse(undefined);
  clock.advance(1000);
  await until(() => manager.names().length === 1);
  expect(events).toEqual([
    { name: "mcp_reconnecting", server: "a", attempt: 1, maxRetries: 5 },
    {
      name: "mcp_reconnect_failed",
      server: "a",
      attempt: 1,
      error: expect.objectContaining({ code: "CONNECT_FAILED" }),
    },
    { name: "mcp_reconnecting", server: "a", attempt: 2, maxRetries: 5 },
    { name: "mcp_reconnected", server: "a", attempt: 2 },
  ]);
  expect((await manager.tools()).map(({ name }) => name)).toEqual(["mcp__a__echo"]);
  await manager.close();
  expect(clock.timers).toBe(0);
});

test("S-262, S-264: after the last failed attempt the server is removed, once, and its tools are gone", async () => {
  const a = localServer();
  const removed: string[][] = [];
  const { clock, manager, events } = await connected(
    { a },
    { reconnect: { maxRetries: 2 }, onServerRemoved: (server, reason) => removed.push([server, reason]) },
  );
  a.refuse(new Error("gone for good"));
  await a.crash();
  await until(() => events.length === 1);
  clock.advance(500);
  await until(() => events.length === 3);
  clock.advance(1000);
  await until(() => removed.length > 0);
  expect(events.slice(-2)).toEqual([
    { name: "mcp_reconnect_failed", server: "a", attempt: 2, error: expect.anything() },
    { name: "mcp_server_removed", server: "a", reason: expect.stringContaining("2 attempts") },
  ]);
  expect(removed).toEqual([["a", expect.stringContaining("2 attempts")]]);
  expect(await manager.tools()).toEqual([]);
  await expect(manager.callTool("a", "echo", { text: "" })).rejects.toMatchObject({
    code: "SERVER_GONE",
    message: expect.stringContaining("gone for good"),
  });
  a.refuse(undefined);
  await manager.connect("a");
  expect(await manager.tools()).toHaveLength(1);
  await manager.close();
  expect(clock.timers).toBe(0);
});

test("S-250: closing a server ends its attempts to come back", async () => {
  const a = localServer();
  const { clock, manager, events } = await connected({ a });
  await a.crash();
  await until(() => events.length === 1);
  await manager.close("a");
  expect(clock.timers).toBe(0);
  clock.advance(1e6);
  await turns(10);
  expect(a.connects).toBe(1);
  expect(manager.snapshot.get("a")?.state).toBe("closed");
  await manager.close();
});

test("connecting by hand does not wait for the back-off, and there is one connection in the end", async () => {
  const a = localServer();
  const { clock, manager } = await connected({ a });
  await a.crash();
  await until(() => manager.snapshot.get("a")?.state === "reconnecting");
  await manager.connect("a");
  expect(manager.names()).toEqual(["a"]);
  clock.advance(1e6);
  await turns(10);
  expect(a.connects).toBe(2);
  expect([...a.server.sessions()]).toHaveLength(1);
  await manager.close();
});

test("a server that is lost too often is given up, however quickly it comes back", async () => {
  const a = localServer();
  const { clock, manager, events } = await connected(
    { a },
    { reconnect: { maxCrashes: 3, crashWindowMs: 60_000 } },
  );
  for (let crash = 1; crash <= 3; crash++) {
    await a.crash();
    await until(() => manager.snapshot.get("a")?.state === "reconnecting");
    clock.advance(500);
    await until(() => manager.names().length === 1);
  }
  await a.crash();
  await until(() => manager.snapshot.get("a")?.state === "failed");
  expect(events.at(-1)).toEqual({
    name: "mcp_server_removed",
    server: "a",
    reason: expect.stringContaining("more than 3 times"),
  });
  await manager.close();
});

test("losses far apart do not add up", async () => {
  const a = localServer();
  const { clock, manager, events } = await connected(
    { a },
    { reconnect: { maxCrashes: 1, crashWindowMs: 1000 } },
  );
  for (let crash = 1; crash <= 5; crash++) {
    await a.crash();
    await until(() => manager.snapshot.get("a")?.state === "reconnecting");
    clock.advance(2000);
    await until(() => manager.names().length === 1);
    expect(manager.snapshot.get("a")?.state).toBe("ready");
  }
  expect(events).not.toContainEqual(expect.objectContaining({ name: "mcp_server_removed" }));
  await manager.close();
});

test("losses do not add up if their window has no length", async () => {
  const a = localServer();
  const { clock, manager } = await connected({ a }, { reconnect: { maxCrashes: 1, crashWindowMs: 0 } });
  for (let crash = 1; crash <= 3; crash++) {
    await a.crash();
    await until(() => manager.snapshot.get("a")?.state === "reconnecting");
    clock.advance(2000);
    await until(() => manager.names().length === 1);
  }
  await manager.close();
});

test("S-272: what was kept of a lost server is forgotten, and while it is away its last list stands in", async () => {
  const a = localServer(
    (server) => {
      addEcho(server);
      server.addResource({ uri: "x://1", name: "one" }, () => "1");
    },
    { server: { revisions: [legacyRevision] } },
  );
  const { manager, clock } = await connected({ a });
  await manager.tools();
  await manager.readResource("a", "x://1");
  expect(manager.cache?.size).toBe(1);
  await a.crash();
  await until(() => manager.snapshot.get("a")?.state === "reconnecting");
  expect(manager.cache?.size).toBe(0);
  expect(await manager.tools()).toHaveLength(1);
  clock.advance(500);
  await until(() => manager.names().length === 1);
  await manager.tools();
  expect(a.requests.filter((method) => method === "tools/list")).toHaveLength(2);
  await manager.close();
});

test("calls that wait for a reconnection follow the attempt of connect(), whether it succeeds or not", async () => {
  const a = localServer();
  const { clock, manager } = await connected({ a });
  const lose = async (): Promise<void> => {
    await a.crash();
    await until(() => manager.snapshot.get("a")?.state === "reconnecting");
  };
  await lose();
  const calls = [1, 2].map((text) => manager.callTool("a", "echo", { text: String(text) }));
  await turns(5);
  await manager.connect("a");
  expect(await Promise.all(calls)).toMatchObject([
    { content: [{ text: "1" }] },
    { content: [{ text: "2" }] },
  ]);
  await lose();
  const refused = manager.callTool("a", "echo", { text: "3" });
  const outcome = expect(refused).rejects.toMatchObject({ code: "CONNECT_FAILED", delivered: "no" });
  a.refuse(new Error("still down"));
  await expect(manager.connect("a")).rejects.toMatchObject({ code: "CONNECT_FAILED" });
  await outcome;
  clock.advance(500);
  await manager.close();
});
