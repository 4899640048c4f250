import { createMemoryEventStore, type SessionEnd } from "@tenon/transports-streamable-http/server";
import { expect, test } from "vitest";

import { codeOf, echo, listen, open, post } from "./setup.ts";

const ping = { jsonrpc: "2.0", id: 1, method: "ping" };

test.each(["two words", "new\r\nline: 1", "é", ""])(
  "R-361: a session is not opened under the id %j, which is no visible ASCII",
  async (id) => {
    const errors: unknown[] = [];
    await using listening = await listen(echo, {
      sessions: { generateId: () => id },
      onError: (error) => errors.push(error),
    });
    const headers = await open(listening.url);
    expect(headers["mcp-session-id"]).toBe("");
    expect(errors).toMatchObject([{ code: "INVALID_STATE" }]);
  },
);

test("R-363: a request for a session that names none is refused with 400, or with 405 where that tells an older client more", async () => {
  await using listening = await listen();
  expect((await fetch(listening.url, { method: "DELETE" })).status).toBe(400);
  expect((await fetch(listening.url, { headers: { accept: "text/event-stream" } })).status).toBe(405);
});

test("R-361, R-364: a session has an id, which is forgotten after DELETE", async () => {
  await using listening = await listen();
  const headers = await open(listening.url);
  expect(headers["mcp-session-id"]).toMatch(/^[\x21-\x7E]{32,}$/);
  expect((await post(listening.url, ping, headers)).status).toBe(200);
  expect((await fetch(listening.url, { method: "DELETE", headers })).status).toBe(204);
  expect((await post(listening.url, ping, headers)).status).toBe(404);
  expect((await fetch(listening.url, { method: "DELETE", headers })).status).toBe(404);
});

test("A-063, T-032: a session of one principal does not exist for another, and neither do its events", async () => {
  await using listening = await listen(echo, {}, (authorization = "nobody") => ({
    auth: { principal: authorization },
  }));
  const alice = await open(listening.url, { authorization: "alice" });
  const bob = { ...alice, authorization: "bob", accept: "text/event-stream" };
  expect((await post(listening.url, ping, { ...alice, authorization: "bob" })).status).toBe(404);
  expect((await fetch(listening.url, { headers: bob })).status).toBe(404);
  expect((await fetch(listening.url, { headers: { ...bob, "last-event-id": "1" } })).status).toBe(404);
  expect((await fetch(listening.url, { method: "DELETE", headers: bob })).status).toBe(404);
  expect((await post(listening.url, ping, alice)).status).toBe(200);
});

test("R-369: a version that does not exist is refused with 400", async () => {
  await using listening = await listen();
  const headers = await open(listening.url);
  expect((await post(listening.url, ping, { ...headers, "mcp-protocol-version": "1999-01-01" })).status).toBe(
    400,
  );
});

test("T-034: the id of a running request cannot be used again", async () => {
  let release: (value: unknown) => void = () => {};
  let entered = (): void => {};
  const running = new Promise<void>((resolve) => {
    entered = resolve;
  });
  await using listening = await listen(() => {
    entered();
    return new Promise((resolve) => {
      release = resolve;
    });
  });
  const headers = await open(listening.url);
  const first = post(listening.url, ping, headers);
  await running;
  const second = await post(listening.url, ping, headers);
  expect(second.status).toBe(400);
  release("first");
  expect(await (await first).json()).toMatchObject({ result: "first" });
});

test("R-346: batches are taken in 2025-03-26 and nowhere else", async () => {
  await using listening = await listen();
  const batch = [
    { jsonrpc: "2.0", id: 1, method: "a" },
    { jsonrpc: "2.0", method: "b" },
    { jsonrpc: "2.0", id: 2, method: "c" },
  ];
  const old = await open(listening.url, {}, "2025-03-26");
  const answers = await post(listening.url, batch, old);
  expect(await answers.json()).toEqual([
    { jsonrpc: "2.0", id: 1, result: { method: "a" } },
    { jsonrpc: "2.0", id: 2, result: { method: "c" } },
  ]);
  const newer = await open(listening.url, {}, "2025-06-18");
  expect((await post(listening.url, batch, newer)).status).toBe(400);
});

test("notifications/cancelled ends the HTTP response", async () => {
  let entered = (): void => {};
  const running = new Promise<void>((resolve) => {
    entered = resolve;
  });
  let aborted = false;
  await using listening = await listen((scope) => {
    scope.signal.addEventListener("abort", () => {
      aborted = true;
    });
    entered();
    return scope.id === undefined ? undefined : new Promise(() => {});
  });
  const headers = await open(listening.url);
  const call = post(listening.url, { jsonrpc: "2.0", id: 7, method: "slow" }, headers);
  await running;
  const cancelled = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 7 } };
  expect((await post(listening.url, cancelled, headers)).status).toBe(202);
  expect((await call).status).toBe(202);
  expect(aborted).toBe(true);
});

test("limits.maxSessions: room is made by ending the session that was idle for longest", async () => {
  const ended: [string, SessionEnd][] = [];
  await using listening = await listen(echo, {
    sessions: { onSessionClosed: ({ id }, reason) => ended.push([id, reason]) },
    limits: { maxSessions: 2 },
  });
  const first = await open(listening.url);
  const second = await open(listening.url);
  await post(listening.url, ping, first);
  const third = await open(listening.url);
  expect(ended).toEqual([[second["mcp-session-id"], "evicted"]]);
  expect((await post(listening.url, ping, first)).status).toBe(200);
  expect((await post(listening.url, ping, second)).status).toBe(404);
  expect((await post(listening.url, ping, third)).status).toBe(200);
});

test("sessions.idleMs: an unused session ends by itself", async () => {
  const ended = new Promise<SessionEnd>((resolve) => {
    void (async () => {
      const listening = await listen(echo, {
        sessions: {
          onSessionClosed: (_, reason) => {
            resolve(reason);
            void listening[Symbol.asyncDispose]();
          },
        },
        limits: { idleMs: 40 },
      });
      await open(listening.url);
    })();
  });
  expect(await ended).toBe("idle");
});

test("T-033: 5,000 sessions, and then none", async () => {
  const ended: string[] = [];
  const listening = await listen(echo, { sessions: { onSessionClosed: ({ id }) => ended.push(id) } });
  const ids = new Set<string>();
  for (let round = 0; round < 50; round++) {
    const opened = await Promise.all(Array.from({ length: 100 }, () => open(listening.url)));
    for (const headers of opened) {
      ids.add(headers["mcp-session-id"] ?? "");
    }
  }
  expect(ids.size).toBe(5000);
  expect(ended).toEqual([]);
  await listening[Symbol.asyncDispose]();
  expect(new Set(ended)).toEqual(ids);
});

test("without a session a legacy request is served at once (R-368)", async () => {
  await using listening = await listen();
  const response = await post(listening.url, { jsonrpc: "2.0", id: "x", method: "tools/list" });
  expect(response.headers.get("mcp-session-id")).toBeNull();
  expect(await response.json()).toEqual({ jsonrpc: "2.0", id: "x", result: { method: "tools/list" } });
  const unknown = await post(listening.url, ping, { "mcp-protocol-version": "1999-01-01" });
  expect(unknown.status).toBe(400);
  expect(await codeOf(unknown)).toBe(-32600);
});

test("R-350: with an event store a slow answer is a stream that begins with an empty event", async () => {
  await using listening = await listen(
    async () => {
      await new Promise<void>((resolve) => {
        setTimeout(resolve, 5);
      });
      return "done";
    },
    { sessions: { eventStore: createMemoryEventStore() }, limits: { retryMs: 123 } },
  );
  const headers = await open(listening.url);
  const text = await (await post(listening.url, ping, headers)).text();
  expect(text).toMatch(/^id: \S+\nretry: 123\ndata: \n\nid: \S+\ndata: .*"done".*\n\n$/);
  const older = await open(listening.url, {}, "2025-06-18");
  expect(await (await post(listening.url, ping, older)).json()).toMatchObject({ result: "done" });
});

test("T-085, R-360: an event is of no use in another session, to somebody else or after its session, and brings no other stream", async () => {
  await using listening = await listen(
    async (scope) => {
      await scope.notify("notifications/message", { heard: scope.params });
      return "done";
    },
    { sessions: { eventStore: createMemoryEventStore() } },
    (authorization = "nobody") => ({ auth: { principal: authorization } }),
  );
  const alice = await open(listening.url, { authorization: "alice" });
  const bob = await open(listening.url, { authorization: "bob" });
  const tell = async (headers: Record<string, string>, id: number): Promise<string> =>
    (await post(listening.url, { ...ping, id, params: { from: id } }, headers)).text();
  const [first = ""] = (await tell(alice, 1)).match(/(?<=id: )\S+/) ?? [];
  await tell(alice, 2);
  await tell(bob, 3);
  const resume = (headers: Record<string, string>): Promise<Response> =>
    fetch(listening.url, {
      headers: { ...headers, accept: "text/event-stream", "last-event-id": first },
    });
  const mine = await (await resume(alice)).text();
  expect(mine).toContain('"from":1');
  expect(mine).not.toMatch(/"from":[23]/);
  expect(await (await resume(bob)).text()).not.toContain('"from":1');
  expect((await resume({ ...alice, authorization: "bob" })).status).toBe(404);
  await fetch(listening.url, { method: "DELETE", headers: alice });
  expect((await resume(alice)).status).toBe(404);
});

test("R-360: an event that is not kept any longer cannot be resumed from", async () => {
  await using listening = await listen(echo, { sessions: { eventStore: createMemoryEventStore() } });
  const headers = await open(listening.url);
  const response = await fetch(listening.url, {
    headers: { ...headers, accept: "text/event-stream", "last-event-id": "1-999" },
  });
  expect(response.status).toBe(400);
});

test("an envelope may have members that are named like ours", async () => {
  await using listening = await listen();
  const headers = await open(listening.url, {}, "2025-03-26");
  const answer = { jsonrpc: "2.0", id: 1, result: { method: "ping" } };
  for (const members of [{ batch: [ping] }, { malformed: { code: 0, message: "" } }]) {
    expect(await (await post(listening.url, { ...ping, ...members }, headers)).json()).toEqual(answer);
    expect(await (await post(listening.url, [{ ...ping, ...members }], headers)).json()).toEqual([answer]);
  }
});

test("a batch is over when its requests are answered or cancelled, though an id occurs twice in it (R-346)", async () => {
  await using listening = await listen((scope) =>
    scope.method === "slow" ? new Promise(() => {}) : scope.method,
  );
  const headers = await open(listening.url, {}, "2025-03-26");
  const slow = { jsonrpc: "2.0", id: 1, method: "slow" };
  const cancelled = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } };
  await (await post(listening.url, [slow, slow, cancelled], headers)).arrayBuffer();
  expect(await (await post(listening.url, [ping], headers)).json()).toEqual([
    { jsonrpc: "2.0", id: 1, result: "ping" },
  ]);
});

test("R-361: a session is not opened under the id of another one", async () => {
  const errors: unknown[] = [];
  await using listening = await listen(echo, {
    sessions: { generateId: () => "the-same-for-all" },
    onError: (error) => errors.push(error),
  });
  const first = await open(listening.url);
  const initialize = { jsonrpc: "2.0", id: 1, method: "initialize", params: {} };
  expect((await post(listening.url, initialize)).status).toBe(500);
  expect(errors).toMatchObject([{ code: "INVALID_STATE" }]);
  expect((await post(listening.url, ping, first)).status).toBe(200);
});
