import { WebExchange } from "@tenon/http/server";
import type { Scope } from "@tenon/jsonrpc2";
import {
  createStreamableHandler,
  type ServeContext,
  type StreamableHandlerOptions,
} from "@tenon/transports-streamable-http/server";
import { expect, test } from "vitest";

import { Heartbeat } from "../src/server/heartbeat.ts";
import { InFlight } from "../src/server/in-flight.ts";
import { RequestInfo } from "../src/server/request-info.ts";
import { listen, modern, peerServer } from "./setup.ts";

const url = "http://localhost/mcp";
const alice = { auth: { principal: "alice" } };
const bob = { auth: { principal: "bob" } };

/**
 * A handler whose requests wait until they are released or their client goes away, except
 * `tools/list`.
 */
function waiting(options: Partial<StreamableHandlerOptions> = {}) {
  const ends: (() => void)[] = [];
  const server = peerServer((scope: Scope) => {
    if (scope.method === "tools/list") {
      return {};
    }
    return new Promise<object>((resolve) => {
      const end = (): void => resolve({});
      ends.push(end);
      if (scope.method === "subscriptions/listen") {
        scope.signal.addEventListener("abort", end);
      }
    });
  });
  const handler = createStreamableHandler({ getServer: () => server, ...options });
  const pending: Promise<Response>[] = [];
  return {
    handler,
    ends,
    /** Sends a request that will wait; resolves when its handler runs. */
    async begin(method: string, context: ServeContext = {}, signal?: AbortSignal) {
      const before = ends.length;
      pending.push(handler.serve(new Request(url, { ...modern(method), signal: signal ?? null }), context));
      while (ends.length === before) {
        await Promise.resolve();
      }
    },
    ask: (method: string, context: ServeContext = {}) =>
      handler.serve(new Request(url, modern(method)), context),
    async [Symbol.asyncDispose]() {
      await handler.close({ drainMs: 0 });
      await Promise.all(pending);
    },
  };
}

test("idle listens of one client leave the calls of others alone, however many there are", async () => {
  await using it = waiting({ limits: { maxListens: 4, maxInFlight: 2 } });
  for (let count = 0; count < 4; count++) {
    await it.begin("subscriptions/listen");
  }
  expect((await it.ask("tools/list", bob)).status).toBe(200);
  const refused = await it.ask("subscriptions/listen");
  expect(refused.status).toBe(503);
  expect(refused.headers.get("retry-after")).toBe("1");
  expect(await refused.json()).toMatchObject({
    error: { message: "Too many requests in flight: the limit is 4 (maxListens)" },
  });
});

test.each([
  ["subscriptions/listen", { limits: { maxListens: 4 } }, "maxListens"],
  ["tools/call", { limits: { maxInFlight: 4 } }, "maxInFlight"],
])("one principal may use half of the limit of %s", async (method, options, option) => {
  await using it = waiting(options);
  await it.begin(method, alice);
  await it.begin(method, alice);
  const refused = await it.ask(method, alice);
  expect(refused.status).toBe(503);
  expect(await refused.text()).toContain(`one client may have half of 4 (${option})`);
  await it.begin(method, bob);
  await it.begin(method, bob);
  const full = await it.ask(method, { auth: { principal: "carol" } });
  expect(await full.text()).toContain(`the limit is 4 (${option})`);
});

test("clients without a principal are told apart by address, which no principal can pretend to be", async () => {
  const begun: (() => void)[] = [];
  await using listening = await listen(
    (scope) => {
      begun.shift()?.();
      return scope.method === "tools/list" ? {} : new Promise(() => {});
    },
    { limits: { maxInFlight: 4 } },
    (authorization) => (authorization === undefined ? {} : { auth: { principal: authorization } }),
  );
  const controller = new AbortController();
  const { headers, ...rest } = modern("tools/call");
  const pending: Promise<unknown>[] = [];
  const begin = async (authorization?: string): Promise<void> => {
    const runs = new Promise<void>((resolve) => begun.push(resolve));
    const fields = authorization === undefined ? headers : { ...headers, authorization };
    pending.push(fetch(listening.url, { ...rest, headers: fields, signal: controller.signal }));
    await runs;
  };
  await begin("127.0.0.1");
  await begin();
  await begin();
  const refused = await fetch(listening.url, modern("tools/list"));
  expect(refused.status).toBe(503);
  expect(await refused.text()).toContain("one client may have half of 4 (maxInFlight)");
  await begin("127.0.0.1");
  controller.abort();
  await Promise.allSettled(pending);
});

test("all addresses of an IPv6 network are one client, because one subscriber has all of them", async () => {
  const begun: (() => void)[] = [];
  await using listening = await listen(
    (scope) => {
      begun.shift()?.();
      return scope.method === "tools/list" ? {} : new Promise(() => {});
    },
    { limits: { maxInFlight: 4 } },
  );
  listening.http.prependListener("request", ({ socket, headers }) => {
    Object.defineProperty(socket, "remoteAddress", { value: headers["x-from"], configurable: true });
  });
  const controller = new AbortController();
  const { signal } = controller;
  const ask = (method: string, from: string): Promise<Response> => {
    const { headers, ...rest } = modern(method);
    return fetch(listening.url, { ...rest, headers: { ...headers, "x-from": from }, signal });
  };
  const pending: Promise<unknown>[] = [];
  const begin = async (from: string): Promise<void> => {
    const runs = new Promise<void>((resolve) => begun.push(resolve));
    pending.push(ask("tools/call", from));
    await runs;
  };
  await begin("2001:db8:0:1::1");
  await begin("2001:db8:0:1::2");
  const refused = await ask("tools/list", "2001:db8:0:1:ffff::3");
  expect(refused.status).toBe(503);
  expect(await refused.text()).toContain("one client may have half of 4 (maxInFlight)");
  await begin("2001:db8:0:2::1");
  controller.abort();
  await Promise.allSettled(pending);
});

test("clients that cannot be told apart share the whole limit", async () => {
  await using it = waiting({ limits: { maxInFlight: 3 } });
  for (let count = 0; count < 3; count++) {
    await it.begin("tools/call");
  }
  expect((await it.ask("tools/call")).status).toBe(503);
});

test("a request whose client is gone counts until its handler has settled", async () => {
  await using it = waiting({ limits: { maxInFlight: 1 } });
  const controller = new AbortController();
  await it.begin("tools/call", {}, controller.signal);
  controller.abort();
  expect((await it.ask("tools/list")).status).toBe(503);
  it.ends[0]?.();
  await new Promise((resolve) => {
    setImmediate(resolve);
  });
  expect((await it.ask("tools/list")).status).toBe(200);
});

test("a listen whose client is gone makes room for another one", async () => {
  await using it = waiting({ limits: { maxListens: 1 } });
  const controller = new AbortController();
  await it.begin("subscriptions/listen", {}, controller.signal);
  controller.abort();
  await new Promise((resolve) => {
    setImmediate(resolve);
  });
  await it.begin("subscriptions/listen");
});

test("a notification counts until its handler has settled", async () => {
  await using it = waiting({ limits: { maxInFlight: 1 } });
  const { headers, body } = modern("notifications/anything");
  const { id: _, ...message } = JSON.parse(body) as { id: unknown };
  const note = new Request(url, { method: "POST", headers, body: JSON.stringify(message) });
  expect((await it.handler.fetch(note.clone())).status).toBe(202);
  expect((await it.handler.fetch(note)).status).toBe(503);
  it.ends[0]?.();
  await new Promise((resolve) => {
    setImmediate(resolve);
  });
  expect((await it.ask("tools/list")).status).toBe(200);
});

test("a handler that closes the endpoint before it returns is waited for", async () => {
  let closeInHandler = (): unknown => undefined;
  let closed: Promise<void> | undefined;
  let isClosed = false;
  let finish = (): void => {};
  const begun = new Promise<void>((resolve) => {
    closeInHandler = () => {
      closed = handler.close().then(() => {
        isClosed = true;
      });
      resolve();
      return new Promise((onFinish) => {
        finish = () => onFinish({ done: true });
      });
    };
  });
  const handler = createStreamableHandler({ getServer: () => peerServer(() => closeInHandler()) });
  const answer = handler.fetch(new Request(url, modern("tools/call")));
  await begun;
  await new Promise((resolve) => {
    setImmediate(resolve);
  });
  expect(isClosed).toBe(false);
  finish();
  expect(await (await answer).json()).toMatchObject({ result: { done: true } });
  await closed;
});

test("who destroys all sockets after close destroys no response that was given by then", async () => {
  let begun = (): void => {};
  const inside = new Promise<void>((resolve) => {
    begun = resolve;
  });
  await using listening = await listen(() => {
    begun();
    return new Promise(() => {});
  });
  const answer = fetch(listening.url, modern("tools/call"));
  await inside;
  await listening.handler.close({ drainMs: 0 });
  listening.http.closeAllConnections();
  expect(await (await answer).json()).toMatchObject({
    error: { code: -32603, message: "The server is shutting down" },
  });
});

test("a message whose heartbeat fails gives its place back to its principal when it ends", async () => {
  let fail = (): void => {};
  const failed = new Promise<void>((resolve) => {
    fail = resolve;
  });
  const inFlight = new InFlight(
    { max: 10, option: "maxInFlight", perPrincipal: 1 },
    new Heartbeat(1, () => fail()),
  );
  const exchange = new WebExchange(new Request(url));
  const guestOf = (principal: string, beat: () => void) => ({
    place: -1,
    isCounted: false,
    extra: new RequestInfo(exchange, { principal }),
    handling: undefined,
    revoke: () => {},
    beat,
  });
  const broken = guestOf("alice", () => {
    throw new Error("answered by a framework");
  });
  inFlight.add(broken);
  inFlight.add(guestOf("bob", () => {}));
  await failed;
  expect(inFlight.refusal(broken.extra)).toBeDefined();
  inFlight.delete(broken);
  inFlight.delete(broken);
  expect(inFlight.refusal(broken.extra)).toBeUndefined();
});
