import { createVirtualClock } from "@tenon/jsonrpc2/testing";
import { bothEras, legacyRevision } from "@tenon/test-support";
import { expect, test } from "vitest";

import { Manager, type HostEvents, type ServerSpec } from "../src/index.ts";
import { addEcho, localServer, rewired, turns, until, type LocalServer } from "./fixture.ts";

test.each(bothEras)(
  "S-248, S-252, S-254, S-257: tools of several servers are one list, and are called by name (%s)",
  async (revision) => {
    const options = { server: { revisions: [revision] } };
    const [a, b] = [localServer(addEcho, options), localServer(addEcho, options)];
    await using manager = new Manager({ servers: { b: b.spec, a: a.spec } });
    expect(await manager.connectAll()).toEqual({ ready: ["a", "b"], failed: new Map(), pending: [] });
    expect(manager.names()).toEqual(["a", "b"]);
    expect(manager.get("a")?.revision).toBe(revision);
    expect(manager.get("c")).toBeUndefined();
    const tools = await manager.tools();
    expect(tools.map(({ name }) => name)).toEqual(["mcp__a__echo", "mcp__b__echo"]);
    const result = await manager.callToolByName("mcp__b__echo", { text: "hi" });
    expect(result.content).toEqual([{ type: "text", text: "hi" }]);
    expect(a.requests).not.toContain("tools/call");
    for (const name of ["b/echo", "echo", "mcp__b__nothing", "mcp__c__echo", "__proto__"]) {
      await expect(manager.callToolByName(name)).rejects.toMatchObject({
        code: "UNKNOWN_TOOL",
        delivered: "no",
      });
    }
  },
);

test("S-257: a name may be called before anybody has asked for the tools", async () => {
  const a = localServer();
  await using manager = new Manager({ servers: { a: a.spec } });
  await manager.connectAll();
  const result = await manager.callToolByName("mcp__a__echo", { text: "hi" });
  expect(result.content).toEqual([{ type: "text", text: "hi" }]);
});

test("S-248: one failure does not stop the others, and is reported with its server", async () => {
  const a = localServer();
  const dead = localServer();
  dead.refuse(new Error("nobody home"));
  await using manager = new Manager({ servers: { dead: dead.spec, a: a.spec } });
  const { ready, failed, pending } = await manager.connectAll();
  expect([ready, pending]).toEqual([["a"], []]);
  // What went wrong has a type, so that a host can go by its code.
  expect(failed.get("dead")?.code).toBe("CONNECT_FAILED");
  expect(failed.get("dead")).toMatchObject({
    code: "CONNECT_FAILED",
    server: "dead",
    phase: "connect",
    delivered: "no",
    message: expect.stringContaining("nobody home"),
  });
  expect(manager.snapshot.get("dead")).toMatchObject({ state: "failed" });
  dead.refuse(undefined);
  await manager.connect("dead");
  expect(manager.names()).toEqual(["a", "dead"]);
});

test("a required server that fails makes connectAll reject, after all have had their chance", async () => {
  const a = localServer();
  const dead = localServer(addEcho, { required: true });
  dead.refuse(new Error("nobody home"));
  await using manager = new Manager({ servers: { dead: dead.spec, a: a.spec } });
  await expect(manager.connectAll()).rejects.toMatchObject({ code: "CONNECT_FAILED", server: "dead" });
  expect(manager.names()).toEqual(["a"]);
});

test("lazy servers are connected to on first use, disabled ones never", async () => {
  const lazy = localServer(addEcho, { lazy: true });
  const off = localServer(addEcho, { disabled: true });
  await using manager = new Manager({ servers: { lazy: lazy.spec, off: off.spec } });
  expect(await manager.connectAll()).toEqual({ ready: [], failed: new Map(), pending: ["lazy"] });
  expect(await manager.tools()).toEqual([]);
  expect(lazy.connects).toBe(0);
  const [one, two] = await Promise.all([
    manager.callTool("lazy", "echo", { text: "1" }),
    manager.callTool("lazy", "echo", { text: "2" }),
  ]);
  expect([one.content, two.content]).toMatchObject([[{ text: "1" }], [{ text: "2" }]]);
  expect(lazy.connects).toBe(1);
  await expect(manager.callTool("off", "echo")).rejects.toMatchObject({ code: "SERVER_GONE", server: "off" });
  expect(off.connects).toBe(0);
});

test("S-247: at most 2 programs and 5 remote servers are being connected to at a time", async () => {
  const peaks = { stdio: 0, remote: 0 };
  const now = { stdio: 0, remote: 0 };
  const servers: Record<string, ServerSpec> = {};
  for (const pool of ["stdio", "remote"] as const) {
    for (let index = 0; index < 20; index++) {
      const { spec } = localServer(addEcho, {
        pool,
        async onConnect() {
          now[pool]++;
          peaks[pool] = Math.max(peaks[pool], now[pool]);
          await turns(5);
          now[pool]--;
        },
      });
      servers[`${pool}${index}`] = spec;
    }
  }
  // A clock that stands still: on a busy machine nobody is slow enough to lose the place.
  await using manager = new Manager({ servers, clock: createVirtualClock() });
  const { ready } = await manager.connectAll();
  expect(ready).toHaveLength(40);
  expect(peaks).toEqual({ stdio: 2, remote: 5 });
});

/** A server whose connections are made when they are let go. */
function slowServer(): { readonly slow: LocalServer; letGo(): void } {
  let release = (): void => {};
  const slow = localServer(addEcho, {
    onConnect: () =>
      new Promise((resolve) => {
        release = resolve;
      }),
  });
  return { slow, letGo: () => release() };
}

test("a server that is not ready in time fails, and what comes later of it is thrown away", async () => {
  const clock = createVirtualClock();
  const { slow, letGo } = slowServer();
  await using manager = new Manager({
    servers: { slow: slow.spec },
    policy: { limits: { connectTimeoutMs: 1000 } },
    clock,
  });
  const report = manager.connectAll();
  await until(() => slow.connects === 1);
  clock.advance(1000);
  expect((await report).failed.get("slow")).toMatchObject({
    code: "CONNECT_FAILED",
    cause: { code: "TIMEOUT" },
  });
  letGo();
  await until(() => [...slow.server.sessions()].length === 0);
  expect(manager.names()).toEqual([]);
  expect(clock.timers).toBe(0);
});

test("connectAll waits as long as it is told; who is not through goes on", async () => {
  const clock = createVirtualClock();
  const { slow, letGo } = slowServer();
  const fast = localServer();
  await using manager = new Manager({ servers: { slow: slow.spec, fast: fast.spec }, clock });
  const report = manager.connectAll({ waitMs: 500 });
  await until(() => manager.names().length === 1 && slow.connects === 1);
  clock.advance(500);
  expect(await report).toEqual({ ready: ["fast"], failed: new Map(), pending: ["slow"] });
  letGo();
  await until(() => manager.names().length === 2);
});

test("aborting connectAll rejects with the reason", async () => {
  const slow = localServer(addEcho, { onConnect: () => new Promise(() => {}) });
  await using manager = new Manager({ servers: { slow: slow.spec } });
  const controller = new AbortController();
  const report = manager.connectAll({ signal: controller.signal });
  controller.abort(new Error("enough"));
  await expect(report).rejects.toThrow("enough");
});

test("slow servers do not keep the others waiting: they give their place away", async () => {
  const clock = createVirtualClock();
  const servers: Record<string, ServerSpec> = {};
  const slow = Array.from({ length: 20 }, () =>
    localServer(addEcho, { onConnect: () => new Promise(() => {}) }),
  );
  const healthy = Array.from({ length: 30 }, () => localServer());
  slow.forEach(({ spec }, index) => {
    servers[`a${index}`] = spec;
  });
  healthy.forEach(({ spec }, index) => {
    servers[`b${index}`] = spec;
  });
  await using manager = new Manager({ servers, clock });
  const report = manager.connectAll({ waitMs: 2000 });
  for (let time = 0; time < 2000; time += 50) {
    await turns(40);
    clock.advance(50);
  }
  const { ready, pending } = await report;
  expect(ready).toHaveLength(30);
  expect(pending).toHaveLength(20);
});

test("a server that misses its first turn by a little is not kept waiting by those that never answer", async () => {
  const clock = createVirtualClock();
  const servers: Record<string, ServerSpec> = {};
  for (let index = 0; index < 20; index++) {
    servers[`a${index}`] = localServer(addEcho, { onConnect: () => new Promise(() => {}) }).spec;
  }
  servers["b"] = localServer(addEcho, {
    onConnect: () =>
      new Promise((resolve) => {
        clock.setTimeout(resolve, 300, true);
      }),
  }).spec;
  servers["c"] = localServer(addEcho, { onConnect: () => new Promise(() => {}) }).spec;
  await using manager = new Manager({ servers, clock });
  const report = manager.connectAll({ waitMs: 10_000 });
  for (let time = 0; time < 10_000; time += 50) {
    await turns(40);
    clock.advance(50);
  }
  const { ready, pending } = await report;
  expect(ready).toEqual(["b"]);
  expect(pending).toHaveLength(21);
});

test("snapshots stay the same object until something changes, and watchers hear of every change", async () => {
  const a = localServer();
  const manager = new Manager({ servers: { a: a.spec } });
  const before = manager.snapshot;
  expect(manager.snapshot).toBe(before);
  expect(before.get("a")).toEqual({ name: "a", state: "idle" });
  const states: (string | undefined)[] = [];
  manager.subscribe(() => states.push(manager.snapshot.get("a")?.state));
  await manager.connectAll();
  expect(manager.snapshot).not.toBe(before);
  expect(manager.snapshot.get("a")).toMatchObject({ state: "ready", serverInfo: { name: "local" } });
  await manager.close();
  expect(states).toEqual(["connecting", "ready", "closed"]);
});

test.each(bothEras)(
  "S-255: a change marks one server, and the next read fetches its list alone (%s)",
  async (revision) => {
    const options = { server: { revisions: [revision] } };
    const [a, b] = [localServer(addEcho, options), localServer(addEcho, options)];
    await using manager = new Manager({ servers: { a: a.spec, b: b.spec } });
    const changes: HostEvents["list_changed"][] = [];
    // Servers announce what was added before anybody was there, too.
    await turns(20);
    manager.on("list_changed", (event) => changes.push(event));
    await manager.connectAll();
    const [one, two] = await Promise.all([manager.tools(), manager.tools()]);
    expect(one).toBe(two);
    expect(await manager.tools()).toBe(one);
    const lists = (): number[] =>
      [a, b].map(({ requests }) => requests.filter((m) => m === "tools/list").length);
    expect(lists()).toEqual([1, 1]);
    // The modern era's subscription has to be there before the change.
    await until(() => revision === legacyRevision || b.requests.includes("subscriptions/listen"));
    b.server.addTool({ name: "new" }, () => "new");
    await until(() => changes.length > 0);
    expect(changes[0]).toEqual({ server: "b", list: "tools" });
    const three = await manager.tools();
    expect(three.map(({ name }) => name)).toEqual(["mcp__a__echo", "mcp__b__echo", "mcp__b__new"]);
    expect(lists()).toEqual([1, 2]);
  },
);

test("S-258: prompts, resources and templates are merged too, and a server without any is not asked", async () => {
  const rich = localServer((server) => {
    server.addPrompt({ name: "greet" }, () => "hello");
    server.addResource({ uri: "x://1", name: "one" }, () => "1");
    server.addResourceTemplate({ uriTemplate: "x://{id}", name: "any" }, () => "any");
  });
  const poor = localServer();
  await using manager = new Manager({ servers: { rich: rich.spec, poor: poor.spec } });
  await manager.connectAll();
  expect(await manager.prompts()).toMatchObject([{ server: "rich", prompt: { name: "greet" } }]);
  expect(await manager.resources()).toMatchObject([{ server: "rich", resource: { uri: "x://1" } }]);
  expect(await manager.resourceTemplates()).toMatchObject([
    { server: "rich", resourceTemplate: { name: "any" } },
  ]);
  expect(
    poor.requests.filter((method) => method.includes("list") && method !== "subscriptions/listen"),
  ).toEqual([]);
  expect((await manager.getPrompt("rich", "greet")).messages).toMatchObject([{ content: { text: "hello" } }]);
});

test("a list that is longer than allowed is left out and reported", async () => {
  const endless = localServer(
    (server) => {
      for (let index = 0; index < 10; index++) {
        server.addTool({ name: `t${index}` }, () => "");
      }
    },
    { server: { limits: { pageSize: 2 } } },
  );
  const fine = localServer();
  await using manager = new Manager({
    servers: { endless: endless.spec, fine: fine.spec },
    limits: { maxPages: 3 },
  });
  const failures: HostEvents["list_failed"][] = [];
  manager.on("list_failed", (event) => failures.push(event));
  await manager.connectAll();
  expect((await manager.tools()).map(({ server }) => server)).toEqual(["fine"]);
  expect(failures).toMatchObject([
    { server: "endless", list: "tools", error: { code: "LIMIT_EXCEEDED", phase: "list" } },
  ]);
  expect(endless.requests.filter((method) => method === "tools/list")).toHaveLength(3);
});

test("S-259, S-260: a resource is read once, until somebody or something invalidates it", async () => {
  let reads = 0;
  const a = localServer(
    (server) => {
      addEcho(server);
      server.addResource({ uri: "x://1", name: "one" }, () => `read ${++reads}`);
    },
    { server: { revisions: [legacyRevision] } },
  );
  await using manager = new Manager({ servers: { a: a.spec }, cache: { ttlMs: Infinity } });
  await manager.connectAll();
  const read = async (): Promise<unknown> => (await manager.readResource("a", "x://1")).contents[0];
  await read();
  expect(await read()).toMatchObject({ text: "read 1" });
  manager.invalidateResource("a", "x://1");
  expect(await read()).toMatchObject({ text: "read 2" });
  manager.invalidateServer("a");
  expect(await read()).toMatchObject({ text: "read 3" });
  // S-272: also when its tools change.
  a.server.addTool({ name: "new" }, () => "");
  await until(() => manager.cache?.size === 0);
  expect(await read()).toMatchObject({ text: "read 4" });
  await manager.close("a");
  expect(manager.cache?.size).toBe(0);
});

test("S-249, S-250: servers are added, closed and connected to again by name", async () => {
  const a = localServer();
  await using manager = new Manager();
  await manager.connect("a", a.spec);
  await expect(manager.connect("a", a.spec)).rejects.toMatchObject({ code: "INVALID_OPTION" });
  await expect(manager.connect("b")).rejects.toMatchObject({ code: "UNKNOWN_SERVER" });
  await manager.close("a");
  expect([...a.server.sessions()]).toEqual([]);
  await expect(manager.callTool("a", "echo", { text: "" })).rejects.toMatchObject({ code: "SERVER_GONE" });
  await manager.connect("a");
  expect(manager.names()).toEqual(["a"]);
});

test("what is no description of a server is refused by name, with the ways there are", () => {
  for (const spec of [
    undefined,
    "npx server",
    { command: "npx" },
    { type: "grpc" },
    { name: "a", spec: {} },
  ]) {
    const servers = { a: spec as unknown as ServerSpec };
    expect(() => new Manager({ servers })).toThrow(/server "a" needs a type.*selectServers\(config\)/);
  }
});

test("S-251: nothing works after close, which may be called again", async () => {
  const a = localServer();
  const manager = new Manager({ servers: { a: a.spec } });
  await manager.connectAll();
  await Promise.all([manager.close(), manager.close()]);
  await manager.close();
  expect([...a.server.sessions()]).toEqual([]);
  await expect(manager.callTool("a", "echo")).rejects.toMatchObject({ code: "CLOSED" });
  await expect(manager.connect("c", a.spec)).rejects.toMatchObject({ code: "CLOSED" });
  const connected = a.connects;
  await expect(manager.connectAll()).rejects.toMatchObject({ code: "CLOSED" });
  expect(a.connects).toBe(connected);
});

test("a server that is connected to while it is still being closed stays connected", async () => {
  const a = localServer();
  let release: () => void = () => {};
  const isReleased = new Promise<void>((resolve) => {
    release = resolve;
  });
  const slow = rewired(a.spec, (inner) => ({
    close: async (reason) => {
      await isReleased;
      await inner.close(reason);
    },
  }));
  await using manager = new Manager({ servers: { a: slow } });
  await manager.connectAll();
  const old = manager.get("a");
  const closing = manager.close("a");
  const session = await manager.connect("a");
  release();
  await closing;
  await turns(20);
  expect(session).not.toBe(old);
  expect(manager.get("a")).toBe(session);
  expect(manager.snapshot.get("a")?.state).toBe("ready");
  expect((await manager.callTool("a", "echo", { text: "hi" })).content).toMatchObject([{ text: "hi" }]);
  expect(a.connects).toBe(2);
});
