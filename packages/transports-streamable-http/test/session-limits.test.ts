import { Peer } from "@tenon/jsonrpc2";
import {
  createStreamableHandler,
  type SessionEnd,
  type SessionOptions,
  type StreamableHandlerLimits,
} from "@tenon/transports-streamable-http/server";
import { afterEach, beforeEach, expect, test, vi } from "vitest";

import { codeOf, common, echo, peerServer } from "./setup.ts";

const url = "http://localhost/mcp";
const minute = 60_000;

beforeEach(() => {
  vi.useFakeTimers({
    toFake: ["performance", "setTimeout", "clearTimeout", "setInterval", "clearInterval"],
  });
});

afterEach(() => {
  vi.useRealTimers();
});

/** Whoever has opened a session. */
interface Client {
  readonly id: string;
  /** Sends a request. @returns The status. */
  use(): Promise<number>;
  /** Sends a request, and waits until its handler runs, which ends when `answer` is called. */
  hang(signal?: AbortSignal): Promise<{ readonly response: Promise<Response>; answer(): void }>;
  listen(): Promise<Response>;
}

const opened = { protocolVersion: "2025-06-18" };

/** A handler with sessions, without sockets, so that the clock of the test is the only one. */
function serve(
  limits: StreamableHandlerLimits,
  initialized: () => unknown = () => opened,
  sessions: SessionOptions = {},
): {
  readonly ended: [string, SessionEnd][];
  readonly errors: unknown[];
  open(principal?: string): Promise<Client>;
  initialize(principal?: string): Promise<Response>;
  close(): Promise<void>;
} {
  const ended: [string, SessionEnd][] = [];
  const errors: unknown[] = [];
  let entered = (_answer: () => void): void => {};
  const handler = createStreamableHandler({
    limits,
    onError: (error) => errors.push(error),
    sessions: { onSessionClosed: ({ id }, reason) => ended.push([id, reason]), ...sessions },
    getServer: () => ({
      ...peerServer(echo),
      connect: async (transport) =>
        new Peer(await transport.connect(), {
          handler: ({ method }) => {
            if (method === "initialize") {
              return initialized();
            }
            return method === "hang"
              ? new Promise((resolve) => {
                  entered(() => resolve("done"));
                })
              : "done";
          },
        }),
    }),
  });
  const send = (init: RequestInit, principal: string | undefined): Promise<Response> =>
    handler.serve(
      new Request(url, { ...init, headers: { ...common, ...(init.headers as Record<string, string>) } }),
      principal === undefined ? {} : { auth: { principal } },
    );
  const body = (method: string): string => JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: {} });
  const initialize = (principal?: string): Promise<Response> =>
    send({ method: "POST", body: body("initialize") }, principal);
  return {
    ended,
    errors,
    initialize,
    async open(principal) {
      const opened = await initialize(principal);
      await opened.arrayBuffer();
      const id = opened.headers.get("mcp-session-id") ?? "";
      const headers = { "mcp-session-id": id };
      return {
        id,
        use: async () => {
          const response = await send({ method: "POST", headers, body: body("tools/list") }, principal);
          await response.arrayBuffer();
          return response.status;
        },
        hang: async (signal) => {
          const inside = new Promise<() => void>((resolve) => {
            entered = resolve;
          });
          const response = send(
            { method: "POST", headers, body: body("hang"), ...(signal === undefined ? {} : { signal }) },
            principal,
          );
          return { response, answer: await inside };
        },
        listen: () => send({ headers: { ...headers, accept: "text/event-stream" } }, principal),
      };
    },
    close: () => handler.close({ drainMs: 0 }),
  };
}

test("limits.idleMs: neither a call nor a stream is idle, and the time counts from its end", async () => {
  const { ended, open, close } = serve({ idleMs: 30 * minute });
  const caller = await open();
  const listener = await open();
  const idle = await open();
  const lost = new AbortController();
  await caller.hang(lost.signal);
  const stream = await listener.listen();
  vi.advanceTimersByTime(100 * minute);
  expect(ended).toEqual([[idle.id, "idle"]]);
  lost.abort();
  await stream.body?.cancel();
  // A client that lost its stream has the whole time to come back.
  vi.advanceTimersByTime(29 * minute);
  expect(ended).toHaveLength(1);
  expect(await listener.use()).toBe(200);
  vi.advanceTimersByTime(2 * minute);
  expect(ended.slice(1)).toEqual([[caller.id, "idle"]]);
  vi.advanceTimersByTime(30 * minute);
  expect(ended.slice(2)).toEqual([[listener.id, "idle"]]);
  await close();
});

test("limits.idleMs counts from the answer of a call, however long the call took", async () => {
  const { ended, open, close } = serve({ idleMs: 10 * minute });
  const client = await open();
  const { response, answer } = await client.hang();
  vi.advanceTimersByTime(60 * minute);
  expect(ended).toEqual([]);
  answer();
  expect(await (await response).text()).toContain("done");
  vi.advanceTimersByTime(9 * minute);
  expect(ended).toEqual([]);
  vi.advanceTimersByTime(3 * minute);
  expect(ended).toEqual([[client.id, "idle"]]);
  await close();
});

test("limits.maxSessions: sessions with running calls or open streams are not ended for others, however long they were quiet", async () => {
  const { ended, open, initialize, close } = serve({ maxSessions: 2, idleMs: Infinity });
  const caller = await open();
  const listener = await open();
  await caller.hang();
  await listener.listen();
  vi.advanceTimersByTime(1000 * minute);
  const refused = await initialize();
  expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "5"]);
  expect(await codeOf(refused)).toBe(-32_603);
  expect(ended).toEqual([]);
  await close();
});

test("limits.maxSessions: a session that is being opened is not ended for another", async () => {
  let answer: (result: unknown) => void = () => {};
  let entered = (): void => {};
  const inside = new Promise<void>((resolve) => {
    entered = resolve;
  });
  const { ended, initialize, close } = serve({ maxSessions: 1, idleMs: Infinity }, () => {
    entered();
    return new Promise((resolve) => {
      answer = resolve;
    });
  });
  const opening = initialize();
  await inside;
  expect((await initialize()).status).toBe(503);
  answer(opened);
  expect((await opening).status).toBe(200);
  expect(ended).toEqual([]);
  await close();
});

test("N-010: sessions that were never used make room before those that were", async () => {
  const { ended, open, close } = serve({ maxSessions: 10, idleMs: Infinity });
  const alice = await open();
  await alice.use();
  vi.advanceTimersByTime(minute);
  const opened: string[] = [];
  for (let count = 0; count < 50; count++) {
    opened.push((await open()).id);
  }
  expect(ended).toEqual(opened.slice(0, 41).map((id) => [id, "evicted"]));
  expect(await alice.use()).toBe(200);
  await close();
});

test("N-010: a flood of used sessions ends those of its own principal, and nobody else's", async () => {
  const { ended, open, close } = serve({ maxSessions: 10, idleMs: Infinity });
  const alice = await open("alice");
  const bob = await open("bob");
  await alice.use();
  await bob.use();
  const flood: string[] = [];
  for (let count = 0; count < 50; count++) {
    const mallory = await open("mallory");
    await mallory.use();
    flood.push(mallory.id);
  }
  expect(ended).toEqual(flood.slice(0, 42).map((id) => [id, "evicted"]));
  // Somebody new gets room from who has most.
  const carol = await open("carol");
  expect(await Promise.all([alice, bob, carol].map((client) => client.use()))).toEqual([200, 200, 200]);
  expect(ended.at(-1)).toEqual([flood[42], "evicted"]);
  await close();
});

test("N-010: who has most sessions, all of them busy, gets no room from those who have fewer", async () => {
  const { ended, open, initialize, close } = serve({ maxSessions: 4, idleMs: Infinity });
  const alice = await open("alice");
  await alice.use();
  for (let count = 0; count < 3; count++) {
    await (await open("mallory")).listen();
  }
  expect((await initialize("mallory")).status).toBe(503);
  expect(ended).toEqual([]);
  expect((await initialize("bob")).status).toBe(200);
  expect(ended).toEqual([[alice.id, "evicted"]]);
  await close();
});

test("N-010: without principals a session that was used within the last minute is safe, and a new one is refused", async () => {
  const { ended, open, initialize, close } = serve({ maxSessions: 3, idleMs: Infinity });
  const first = await open();
  const second = await open();
  const third = await open();
  await first.use();
  await second.use();
  await third.use();
  vi.advanceTimersByTime(59_000);
  expect((await initialize()).status).toBe(503);
  await first.use();
  vi.advanceTimersByTime(1001);
  expect((await initialize()).status).toBe(200);
  expect(ended).toEqual([[second.id, "evicted"]]);
  await close();
});

const junk: unknown[] = [
  () => Promise.reject(new Error("no database")),
  () => Promise.resolve("abc"),
  () => 7,
  () => ({}),
  () => undefined,
  () => 1n,
];

test.each(junk)("sessions.generateId that returns no string opens no session (%#)", async (generateId) => {
  const { errors, initialize, close } = serve({}, undefined, { generateId: generateId as () => string });
  const unhandled: unknown[] = [];
  const onUnhandled = (error: unknown): void => void unhandled.push(error);
  process.on("unhandledRejection", onUnhandled);
  const response = await initialize();
  expect([response.status, response.headers.get("mcp-session-id")]).toEqual([500, null]);
  await new Promise((resolve) => {
    setImmediate(resolve);
  });
  process.off("unhandledRejection", onUnhandled);
  expect(unhandled).toEqual([]);
  expect(errors).toContainEqual(
    expect.objectContaining({
      code: "INVALID_STATE",
      message: expect.stringContaining("generateId") as string,
    }),
  );
  await close();
});
