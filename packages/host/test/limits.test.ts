import { createVirtualClock } from "@tenon/jsonrpc2/testing";
import { legacyRevision } from "@tenon/test-support";
import { expect, test } from "vitest";

import { Manager, type HostEvents } from "../src/index.ts";
import { localServer, turns, until, type LocalServer } from "./fixture.ts";

test("calls of one server wait for each other beyond its concurrency, and too many waiting are refused", async () => {
  let now = 0;
  let peak = 0;
  const a = localServer((server) => {
    server.addTool({ name: "slow" }, async () => {
      peak = Math.max(peak, ++now);
      await turns(5);
      now--;
      return "";
    });
  });
  await using manager = new Manager({
    servers: { a: a.spec },
    policy: { limits: { maxInFlight: 2, maxWaiting: 3 } },
  });
  await manager.connectAll();
  const outcomes = await Promise.allSettled(Array.from({ length: 6 }, () => manager.callTool("a", "slow")));
  expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(5);
  expect(outcomes.at(-1)).toMatchObject({ reason: { code: "LIMIT_EXCEEDED", delivered: "no" } });
  expect(peak).toBe(2);
});

test("each kind of waiting has its own limit: for a list, for a sign of life on a call, and for the call however lively", async () => {
  const clock = createVirtualClock();
  let report: (() => Promise<void>) | undefined;
  const a = localServer(
    (server) => {
      server.addTool({ name: "busy" }, async (_, context) => {
        let done = 0;
        report = () => context.progress(++done, 1000);
        await new Promise(() => {});
        return "";
      });
    },
    { server: { revisions: [legacyRevision] } },
  );
  let isListing = false;
  a.server.addReceivingMiddleware((next) => (request) => {
    isListing = request.method === "tools/list";
    return isListing ? new Promise(() => {}) : next(request);
  });
  await using manager = new Manager({
    servers: { a: a.spec },
    policy: { limits: { listTimeoutMs: 1000, timeoutMs: 2000, totalTimeoutMs: 5000 } },
    breaker: { failureThreshold: Infinity },
    clock,
  });
  await manager.connectAll();
  const failures: HostEvents["list_failed"][] = [];
  manager.on("list_failed", (event) => failures.push(event));
  const listing = manager.tools();
  await until(() => isListing);
  clock.advance(999);
  await turns(5);
  expect(failures).toEqual([]);
  clock.advance(1);
  expect(await listing).toEqual([]);
  expect(failures).toMatchObject([{ list: "tools", error: { code: "TIMEOUT", phase: "list" } }]);

  const reports: number[] = [];
  const call = async (): Promise<{ outcome: Promise<unknown> }> => {
    report = undefined;
    const outcome = manager
      .callTool("a", "busy", {}, { onProgress: ({ progress }) => void reports.push(progress) })
      .catch((error: unknown) => error);
    await until(() => report !== undefined);
    return { outcome };
  };
  const { outcome: silent } = await call();
  clock.advance(2000);
  expect(await silent).toMatchObject({ code: "TIMEOUT", phase: "call", delivered: "maybe" });

  const { outcome: lively } = await call();
  for (let second = 1; second <= 4; second++) {
    clock.advance(1000);
    await report?.();
    await until(() => reports.length === second);
  }
  clock.advance(1000);
  expect(await lively).toMatchObject({ code: "TIMEOUT", message: expect.stringContaining("5000 ms") });
});

test("requests beyond the rate limit of a server wait, in order, and too many waiting are refused; other servers are as fast as ever", async () => {
  const clock = createVirtualClock();
  const [a, b] = [localServer(), localServer()];
  const rateLimit = { requests: 2, perMs: 1000 };
  await using manager = new Manager({
    servers: { a: { ...a.spec, policy: { rateLimit, limits: { maxWaiting: 2 } } }, b: b.spec },
    clock,
  });
  await manager.connectAll();
  const sent = (server: LocalServer): number =>
    server.requests.filter((method) => method === "tools/call").length;
  const texts: unknown[] = [];
  const call = async (server: string, text: string): Promise<void> => {
    const { content } = await manager.callTool(server, "echo", { text });
    texts.push(Object(content[0])["text"]);
  };
  const calls = ["1", "2", "3", "4", "5"].map((text) => call("a", text));
  await expect(calls[4]).rejects.toMatchObject({ code: "LIMIT_EXCEEDED", delivered: "no", retryable: true });
  await until(() => texts.length === 2);
  clock.advance(499);
  await turns(10);
  expect(sent(a)).toBe(2);
  for (const text of ["x", "y", "z"]) {
    await call("b", text);
  }
  clock.advance(1);
  await until(() => texts.length === 6);
  expect(sent(a)).toBe(3);
  clock.advance(500);
  await Promise.all(calls.slice(0, 4));
  expect(texts).toEqual(["1", "2", "x", "y", "z", "3", "4"]);
  // After a pause there are as many at once as the limit says, and no more.
  clock.advance(60_000);
  const more = ["6", "7", "8"].map((text) => call("a", text));
  await until(() => sent(a) === 6);
  await turns(10);
  expect(sent(a)).toBe(6);
  clock.advance(500);
  await Promise.all(more);
});

test("who gives up waiting for the rate limit sends nothing, and a limit that lets nothing through is refused", async () => {
  const clock = createVirtualClock();
  const a = localServer();
  await using manager = new Manager({
    servers: { a: a.spec },
    policy: { rateLimit: { requests: 1, perMs: 1000 } },
    clock,
  });
  await manager.connectAll();
  await manager.callTool("a", "echo", { text: "1" });
  const controller = new AbortController();
  const waiting = manager.callTool("a", "echo", { text: "2" }, { signal: controller.signal });
  await turns(5);
  controller.abort(new Error("too slow"));
  await expect(waiting).rejects.toThrow("too slow");
  clock.advance(10_000);
  expect(a.requests.filter((method) => method === "tools/call")).toHaveLength(1);
  for (const rateLimit of [
    { requests: 0, perMs: 1000 },
    { requests: 1, perMs: 0 },
  ]) {
    expect(() => new Manager({ servers: { a: a.spec }, policy: { rateLimit } })).toThrow(/rateLimit/);
  }
});
