import { createVirtualClock } from "@tenon/jsonrpc2/testing";
import { createHealth, drainable } from "@tenon/operations";
import { deferred } from "@tenon/test-support";
import { expect, test } from "vitest";

import { serve } from "./pair.ts";

const get = async (url: string): Promise<{ status: number; body: unknown }> => {
  const response = await fetch(url);
  return { status: response.status, body: await response.json() };
};

test("the probes of a server without checks are good, over node:http and as fetch", async () => {
  const health = createHealth();
  const origin = await serve(health);
  expect(await get(`${origin}/live`)).toEqual({ status: 200, body: { status: "live" } });
  expect(await get(`${origin}/ready?verbose`)).toEqual({ status: 200, body: { status: "ready" } });
  const response = await health.fetch(new Request("http://10.1.2.3:3000/ready"));
  expect(response?.status).toBe(200);
  expect(response?.headers.get("cache-control")).toBe("no-store");
  expect(health.fetch(new Request("http://localhost/mcp"))).toBeUndefined();
});

test("other paths and methods are refused", async () => {
  const origin = await serve(createHealth({ paths: { ready: "/healthz" } }));
  expect((await fetch(`${origin}/healthz`)).status).toBe(200);
  expect((await fetch(`${origin}/ready`)).status).toBe(404);
  expect((await fetch(`${origin}/healthz`, { method: "HEAD" })).status).toBe(200);
  const posted = await fetch(`${origin}/live`, { method: "POST" });
  expect([posted.status, posted.headers.get("allow")]).toEqual([405, "GET, HEAD"]);
});

test.each<[string, () => unknown]>([
  ["throws", () => expect.fail("password=hunter2")],
  ["rejects", () => Promise.reject(new Error("password=hunter2"))],
  ["returns false", () => false],
])("a check that %s makes the server not ready, and keeps it alive", async (_, check) => {
  const errors: unknown[] = [];
  const health = createHealth({
    checks: { redis: check, disk: () => true },
    limits: { ttlMs: 0 },
    onError: (error) => errors.push(error),
  });
  const origin = await serve(health);
  const expected = { status: 503, body: { status: "unavailable", failed: ["redis"] } };
  expect(await get(`${origin}/ready`)).toEqual(expected);
  expect(await get(`${origin}/ready`)).toEqual(expected);
  expect((await get(`${origin}/live`)).status).toBe(200);
  expect(errors).toHaveLength(1);
  expect(errors[0]).toMatchObject({ message: expect.stringContaining("The check redis failed") });
});

test("a check that does not end counts as failed after checkTimeoutMs, and its recovery is noticed", async () => {
  const clock = createVirtualClock();
  const hanging = deferred();
  let isHanging = true;
  const health = createHealth({
    checks: { database: () => (isHanging ? hanging.promise : true) },
    limits: { checkTimeoutMs: 100, ttlMs: 1_000 },
    clock,
    onError: () => {},
  });
  const status = health.status();
  await Promise.resolve();
  clock.advance(100);
  expect(await status).toBe("unavailable");
  isHanging = false;
  expect(await health.status()).toBe("unavailable");
  clock.advance(1_000);
  expect(await health.status()).toBe("ready");
  expect(clock.timers).toBe(0);
});

test("a check that hangs in every period is called eight times, and again when one of them settles", async () => {
  const clock = createVirtualClock();
  const hanging = deferred<boolean>();
  let calls = 0;
  const health = createHealth({
    checks: { database: () => (calls++, calls <= 8 ? hanging.promise : true) },
    limits: { checkTimeoutMs: 100, ttlMs: 0 },
    clock,
    onError: () => {},
  });
  for (let period = 0; period < 20; period++) {
    const status = health.status();
    await Promise.resolve();
    clock.advance(100);
    expect(await status).toBe("unavailable");
  }
  expect(calls).toBe(8);
  hanging.resolve(true);
  await hanging.promise;
  await expect.poll(() => health.status()).toBe("ready");
});

test("a check whose first eight calls never settle is called once a minute, and passes when it can", async () => {
  const clock = createVirtualClock();
  let calls = 0;
  const health = createHealth({
    checks: { database: () => (++calls <= 9 ? new Promise(() => {}) : true) },
    limits: { checkTimeoutMs: 100, ttlMs: 0 },
    clock,
    onError: () => {},
  });
  const probe = async (): Promise<string> => {
    const status = health.status();
    await Promise.resolve();
    clock.advance(100);
    return status;
  };
  for (let period = 0; period < 20; period++) {
    expect(await probe()).toBe("unavailable");
  }
  clock.advance(60_000);
  expect([await probe(), await probe(), calls]).toEqual(["unavailable", "unavailable", 9]);
  clock.advance(60_000);
  expect([await health.status(), await health.status()]).toEqual(["ready", "ready"]);
});

test("many probes at a time cost one check", async () => {
  let checks = 0;
  const health = createHealth({ checks: { store: () => Promise.resolve(++checks) } });
  await Promise.all(Array.from({ length: 100 }, () => health.status()));
  await health.status();
  expect(checks).toBe(1);
});

test("a drain makes the server not ready at once, waits, and closes in order what is given", async () => {
  const clock = createVirtualClock();
  const health = createHealth({ clock });
  const closed: string[] = [];
  const closable = (name: string) => ({
    [drainable]: true,
    close: ({ drainMs }: { drainMs?: number | undefined } = {}) => {
      closed.push(`${name} ${drainMs}`);
      clock.advance(300);
      return Promise.resolve();
    },
  });
  const close = [closable("http"), closable("server"), closable("stores")];
  const drained = health.drain({ noticeMs: 2_000, drainMs: 500, close });
  expect(health.drain()).toBe(drained);
  expect(await health.status()).toBe("draining");
  expect((await health.serve(new Request("http://localhost/ready"))).status).toBe(503);
  expect((await health.serve(new Request("http://localhost/live"))).status).toBe(200);
  expect(closed).toEqual([]);
  clock.advance(2_000);
  await drained;
  expect(closed).toEqual(["http 500", "server 200", "stores 0"]);
  expect(clock.timers).toBe(0);
});

test("objects of other libraries are closed without an argument, which they might take for a callback", async () => {
  const given: unknown[][] = [];
  const foreign = {
    close: (...args: unknown[]) => {
      given.push(args);
      return Promise.resolve("closed");
    },
  };
  await createHealth().drain({ noticeMs: 0, close: [foreign] });
  expect(given).toEqual([[]]);
});

test("what does not close keeps nothing else from closing, and is reported", async () => {
  const clock = createVirtualClock();
  const health = createHealth({ clock });
  const reached = deferred();
  let isClosed = false;
  const hanging = {
    close: () => {
      reached.resolve();
      return new Promise<void>(() => {});
    },
  };
  const failing = { close: () => Promise.reject(new Error("disk")) };
  const last = {
    close: () => {
      isClosed = true;
      return Promise.resolve();
    },
  };
  const drained = health.drain({ noticeMs: 0, drainMs: 100, close: [hanging, failing, last] });
  clock.advance(0);
  await reached.promise;
  clock.advance(1_100);
  await expect(drained).rejects.toMatchObject({
    errors: [{ message: expect.stringContaining("within 100 ms") }, { message: "disk" }],
  });
  expect(isClosed).toBe(true);
});

test("misspelt options are refused", () => {
  const wrong = (options: object): (() => unknown) => {
    return () => createHealth(options);
  };
  expect(wrong({ check: {} })).toThrow(/checks/);
  expect(wrong({ limits: { checkTimeoutMs: 0 } })).toThrow(TypeError);
  expect(wrong({ paths: { readiness: "/" } })).toThrow(/readiness/);
  expect(() => createHealth().drain({ drainms: 3 } as object)).toThrow(/drainMs/);
});
