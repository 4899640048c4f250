import { expect, test } from "vitest";

import { Manager, type HostEvents } from "../src/index.ts";
import { NameTable } from "../src/names/name-table.ts";
import { localServer, rewired, turns, until, type LocalServer } from "./fixture.ts";
import { connected } from "./recovering.ts";

/** A tool `risky` that crashes its server while it runs, the first time. */
function riskyServer(
  annotations: { idempotentHint?: boolean; readOnlyHint?: boolean } = {},
): LocalServer & { runs(): number } {
  let runs = 0;
  const server = localServer((mcp) => {
    mcp.addTool({ name: "risky", annotations }, async () => {
      runs++;
      if (runs === 1) {
        await server.crash();
        await new Promise(() => {});
      }
      return "done";
    });
  });
  return Object.assign(server, { runs: () => runs });
}

test("a call that may have run is not repeated, and its error says that it may have", async () => {
  const a = riskyServer();
  const { manager } = await connected({ a });
  await expect(manager.callTool("a", "risky")).rejects.toMatchObject({
    code: "CONNECTION_LOST",
    server: "a",
    phase: "call",
    delivered: "maybe",
    retryable: true,
  });
  await turns(20);
  expect(a.runs()).toBe(1);
  await manager.close();
});

test("with retry never a request that certainly did not reach its server is not made again either, and with undelivered it is", async () => {
  const outcomes: unknown[] = [];
  for (const retry of ["never", "undelivered"] as const) {
    const a = localServer();
    let sent = 0;
    const spec = rewired(a.spec, (inner) => ({
      async write(message, options) {
        if ("method" in message && message.method === "tools/call" && ++sent === 1) {
          throw Object.assign(new Error("nobody there"), { delivered: "no" });
        }
        await inner.write(message, options);
      },
    }));
    await using manager = new Manager({ servers: { a: spec }, policy: { retry } });
    await manager.connectAll();
    outcomes.push(
      await manager.callTool("a", "echo", { text: "hi" }).then(
        ({ content }) => content,
        (error: unknown) => error,
      ),
    );
    expect(sent).toBe(retry === "never" ? 1 : 2);
  }
  expect(outcomes).toMatchObject([{ delivered: "no", retryable: true }, [{ text: "hi" }]]);
});

test("a full server is asked again when it has said it may be, and not at all if that is too late", async () => {
  const a = localServer();
  const pauses = [5000];
  let sent = 0;
  const spec = rewired(a.spec, (inner) => ({
    async write(message, options) {
      if ("method" in message && message.method === "tools/call") {
        sent++;
        const retryAfterMs = pauses.shift();
        if (retryAfterMs !== undefined) {
          throw Object.assign(new Error("full"), { delivered: "no", status: 503, retryAfterMs });
        }
      }
      await inner.write(message, options);
    },
  }));
  const { manager, clock } = await connected({ a: { ...a, spec } });
  const call = manager.callTool("a", "echo", { text: "hi" }).catch((error: unknown) => error);
  await until(() => sent === 1);
  await turns(5);
  clock.advance(4999);
  await turns(5);
  expect(sent).toBe(1);
  pauses.length = 0;
  clock.advance(1);
  expect(await call).toMatchObject({ content: [{ text: "hi" }] });
  expect(sent).toBe(2);
  pauses.push(31_000);
  await expect(manager.callTool("a", "echo", { text: "hi" })).rejects.toMatchObject({
    delivered: "no",
    retryable: true,
  });
  expect(sent).toBe(3);
  await manager.close();
});

test("a call that would run out of time before a full server may be asked again fails at once, with what the server said", async () => {
  const a = localServer();
  const spec = rewired(a.spec, (inner) => ({
    async write(message, options) {
      if ("method" in message && message.method === "tools/call") {
        throw Object.assign(new Error("full"), { delivered: "no", status: 503, retryAfterMs: 20_000 });
      }
      await inner.write(message, options);
    },
  }));
  const policy = { limits: { totalTimeoutMs: 20_000 } };
  const { manager } = await connected({ a: { ...a, spec } }, { policy });
  const call = manager.callTool("a", "echo", { text: "hi" });
  await expect(call).rejects.toMatchObject({ delivered: "no", cause: { status: 503 } });
  await manager.close();
});

test.each([
  ["idempotent", { idempotentHint: true }, 2],
  ["idempotent", { readOnlyHint: true }, 2],
  ["idempotent", {}, 1],
  ["undelivered", { idempotentHint: true }, 1],
  ["never", { idempotentHint: true }, 1],
] as const)(
  "with retry %s a tool of %o whose connection is lost runs %i times",
  async (retry, annotations, runs) => {
    const a = riskyServer(annotations);
    const { manager, clock } = await connected({ a }, { policy: { retry } });
    await manager.tools();
    const call = manager.callTool("a", "risky").then(
      ({ content }) => content,
      (error: unknown) => error,
    );
    await until(() => manager.snapshot.get("a")?.state === "reconnecting");
    clock.advance(500);
    await until(() => manager.names().length === 1);
    const outcome = await call;
    expect(a.runs()).toBe(runs);
    expect(outcome).toMatchObject(
      runs === 2 ? [{ text: "done" }] : { code: "CONNECTION_LOST", delivered: "maybe" },
    );
    await manager.close();
  },
);

test("a harmless call whose server does not come back may still have run, and the error says so", async () => {
  const a = riskyServer({ idempotentHint: true });
  const { manager, clock } = await connected(
    { a },
    { policy: { retry: "idempotent" }, reconnect: { maxRetries: 1 } },
  );
  await manager.tools();
  const call = manager.callTool("a", "risky").catch((error: unknown) => error);
  await until(() => manager.snapshot.get("a")?.state === "reconnecting");
  a.refuse(new Error("gone"));
  clock.advance(500);
  expect(await call).toMatchObject({ code: "SERVER_GONE", delivered: "maybe" });
  await manager.close();
});

test("a call that certainly did not reach the server is made again when it is back", async () => {
  const a = localServer();
  const { manager, clock } = await connected({ a });
  await a.crash();
  // The loss is not noticed yet, or just so: either way nothing is sent.
  const call = manager.callTool("a", "echo", { text: "hi" });
  await until(() => manager.snapshot.get("a")?.state === "reconnecting");
  clock.advance(500);
  expect((await call).content).toMatchObject([{ text: "hi" }]);
  expect(a.requests.filter((method) => method === "tools/call")).toHaveLength(1);
  await manager.close();
});

test("what a server answers is final: its errors are not retried, open no breaker, and count as delivered", async () => {
  const a = localServer();
  const { manager } = await connected({ a }, { breaker: { failureThreshold: 1 } });
  for (let count = 0; count < 3; count++) {
    await expect(manager.callTool("a", "no such tool")).rejects.toMatchObject({
      code: "REMOTE_ERROR",
      delivered: "yes",
      retryable: false,
      cause: { code: -32602 },
    });
  }
  expect(a.requests.filter((method) => method === "tools/call")).toHaveLength(3);
  await manager.close();
});

test("arguments that JSON cannot carry are the caller's mistake: nothing is sent, and nothing counts against the server", async () => {
  const a = localServer();
  const { manager } = await connected({ a }, { breaker: { failureThreshold: 1 } });
  await expect(manager.callTool("a", "echo", { text: 1n })).rejects.toMatchObject({
    code: "REQUEST_FAILED",
    delivered: "no",
    retryable: false,
  });
  expect((await manager.callTool("a", "echo", { text: "hi" })).content).toMatchObject([{ text: "hi" }]);
  await manager.close();
});

test("a call of the caller's own abort rejects with the reason, and the server hears of it", async () => {
  let aborted = false;
  const a = localServer((server) => {
    server.addTool({ name: "wait" }, async (_, { signal }) => {
      signal.addEventListener("abort", () => {
        aborted = true;
      });
      await new Promise(() => {});
      return "";
    });
  });
  const { manager } = await connected({ a });
  const controller = new AbortController();
  const call = manager.callTool("a", "wait", {}, { signal: controller.signal });
  await until(() => a.requests.includes("tools/call"));
  controller.abort(new Error("no longer needed"));
  await expect(call).rejects.toThrow("no longer needed");
  await until(() => aborted);
  await manager.close();
});

test("S-224: after failures in a row (here: calls that take too long) the breaker opens, and one probe closes it again", async () => {
  let hangs = true;
  const a = localServer((server) => {
    server.addTool({ name: "hang" }, async () => {
      if (hangs) {
        await new Promise(() => {});
      }
      return "done";
    });
    server.addResource({ uri: "x://1", name: "one" }, () => "1");
  });
  const { manager, clock } = await connected(
    { a },
    {
      breaker: { failureThreshold: 2, openMs: 10_000 },
      policy: { limits: { totalTimeoutMs: 1000 } },
      cache: false,
    },
  );
  const states: string[] = [];
  manager.on("state", ({ to }: HostEvents["state"]) => states.push(to));
  for (let failure = 1; failure <= 2; failure++) {
    const calls = a.requests.length;
    const call = manager.callTool("a", "hang").catch((error: unknown) => error);
    await until(() => a.requests.length > calls);
    clock.advance(1000);
    expect(await call).toMatchObject({ code: "TIMEOUT", delivered: "maybe", phase: "call" });
  }
  const before = a.requests.length;
  await expect(manager.callTool("a", "hang")).rejects.toMatchObject({
    code: "BREAKER_OPEN",
    message: "The server a failed too often and is left alone for now. Try again in 10 s.",
    delivered: "no",
    retryAfterMs: 10_000,
  });
  expect(a.requests.length).toBe(before);
  expect(states).toEqual(["degraded"]);
  // Reads have a breaker of their own.
  await manager.readResource("a", "x://1");
  hangs = false;
  clock.advance(10_000);
  const [first, second] = await Promise.allSettled([
    manager.callTool("a", "hang"),
    manager.callTool("a", "hang"),
  ]);
  expect(first).toMatchObject({ status: "fulfilled" });
  // While the probe is on its way everybody else is still refused.
  expect(second).toMatchObject({ status: "rejected", reason: { code: "BREAKER_OPEN" } });
  expect(a.requests.slice(before)).toEqual(["resources/read", "server/discover", "tools/call"]);
  expect(states).toEqual(["degraded", "ready"]);
  await manager.close();
  expect(clock.timers).toBe(0);
});

test("a call that its caller aborts while another call probes the server allows no second probe", async () => {
  let probeHangs = false;
  const a = localServer((server) => {
    server.addTool({ name: "hang" }, () => new Promise<string>(() => {}));
    server.addReceivingMiddleware(
      (next) => (request) =>
        probeHangs && request.method === "server/discover" ? new Promise(() => {}) : next(request),
    );
  });
  const { manager, clock } = await connected(
    { a },
    { breaker: { failureThreshold: 1, openMs: 100 }, policy: { limits: { totalTimeoutMs: 1000 } } },
  );
  const call = (signal?: AbortSignal): Promise<unknown> =>
    manager.callTool("a", "hang", {}, { signal }).catch((error: unknown) => error);
  const sent = (method: string): number => a.requests.filter((each) => each === method).length;
  const failing = call();
  await until(() => sent("tools/call") === 1);
  clock.advance(900);
  const controller = new AbortController();
  const aborted = call(controller.signal);
  await until(() => sent("tools/call") === 2);
  clock.advance(100);
  expect(await failing).toMatchObject({ code: "TIMEOUT" });
  clock.advance(100);
  probeHangs = true;
  const before = sent("server/discover");
  const probing = call();
  await until(() => sent("server/discover") === before + 1);
  controller.abort(new Error("no longer needed"));
  expect(await aborted).toBe(controller.signal.reason);
  expect(await Promise.race([call(), turns(100)])).toMatchObject({ code: "BREAKER_OPEN" });
  expect(sent("server/discover")).toBe(before + 1);
  await manager.close();
  await probing;
});

test("a call by name waits for a server that was lost before it has listed its tools", async () => {
  const [lost, other] = [localServer(), localServer()];
  // A name with a space is hashed.
  const name = "lost server";
  const { clock, manager } = await connected({ [name]: lost, other }, { reconnect: { maxRetries: 2 } });
  await lost.crash();
  await until(() => manager.snapshot.get(name)?.state === "reconnecting");
  lost.refuse(new Error("still down"));
  const qualified = new NameTable().nameOf(name, "echo");
  const call = manager.callToolByName(qualified, { text: "hi" });
  // Names of other servers need not wait.
  await expect(manager.callToolByName("mcp__other__none")).rejects.toMatchObject({ code: "UNKNOWN_TOOL" });
  expect((await manager.callToolByName("mcp__other__echo", { text: "o" })).content).toMatchObject([
    { text: "o" },
  ]);
  const controller = new AbortController();
  const impatient = manager.callToolByName(qualified, { text: "x" }, { signal: controller.signal });
  controller.abort(new Error("enough"));
  await expect(impatient).rejects.toThrow("enough");
  lost.refuse(undefined);
  clock.advance(1000);
  expect((await call).content).toMatchObject([{ text: "hi" }]);
  await manager.close();
});

test("a call by name says that its server has gone, if it went before it has listed its tools", async () => {
  const a = localServer();
  const { clock, manager } = await connected({ a }, { reconnect: { maxRetries: 1 } });
  a.refuse(new Error("gone for good"));
  await a.crash();
  await until(() => manager.snapshot.get("a")?.state === "reconnecting");
  const gone = { code: "SERVER_GONE", server: "a", delivered: "no" };
  const waiting = expect(manager.callToolByName("mcp__a__echo")).rejects.toMatchObject(gone);
  clock.advance(1000);
  await waiting;
  await expect(manager.callToolByName("mcp__a__echo")).rejects.toMatchObject(gone);
  await manager.close();
});

test("a call by name reaches the server that has the tool, though another one that it may mean has gone", async () => {
  const [gone, back] = [localServer(), localServer()];
  const { clock, manager } = await connected({ git: gone, git__hub: back }, { reconnect: { maxRetries: 1 } });
  for (const [name, server] of [
    ["git", gone],
    ["git__hub", back],
  ] as const) {
    server.refuse(new Error("down"));
    await server.crash();
    await until(() => manager.snapshot.get(name)?.state === "reconnecting");
  }
  const qualified = new NameTable().nameOf("git__hub", "echo");
  const call = manager.callToolByName(qualified, { text: "hi" });
  back.refuse(undefined);
  clock.advance(1000);
  expect((await call).content).toMatchObject([{ text: "hi" }]);
  await manager.close();
});
