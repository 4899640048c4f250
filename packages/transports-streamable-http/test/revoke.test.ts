import type { Scope } from "@tenon/jsonrpc2";
import type { AuthInfo } from "@tenon/protocol";
import { legacyRevision } from "@tenon/test-support";
import { createStreamableHandler } from "@tenon/transports-streamable-http/server";
import { expect, test } from "vitest";

import { codeOf, common, listen, modern, open, peerServer, post } from "./setup.ts";

const initialize = {
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: {
    protocolVersion: legacyRevision,
    capabilities: {},
    clientInfo: { name: "test", version: "1.0.0" },
  },
};

/** The principal is what the request names in `Authorization`. */
const byName = (authorization: string | undefined): { auth?: AuthInfo } =>
  authorization === undefined ? {} : { auth: { principal: authorization } };

/** A server whose calls last until they are aborted. */
async function listenForever(options: Parameters<typeof listen>[1] = {}) {
  const started: Scope[] = [];
  let onStart = (): void => {};
  const listening = await listen(
    (scope) => {
      if (scope.method === "ping") {
        return {};
      }
      started.push(scope);
      onStart();
      return new Promise((resolve) => {
        scope.signal.addEventListener("abort", resolve);
      });
    },
    { onError: () => {}, ...options },
    byName,
  );
  return {
    ...listening,
    [Symbol.asyncDispose]: () => listening[Symbol.asyncDispose](),
    started,
    /** Sends a request that does not end; resolves when its handler runs. */
    async begin(request: Promise<Response>): Promise<{ response: Promise<Response> }> {
      const before = started.length;
      await new Promise<void>((resolve) => {
        onStart = () => (started.length > before ? resolve() : undefined);
        onStart();
      });
      return { response: request };
    },
  };
}

function call(url: URL, principal: string): Promise<Response> {
  const request = modern("tools/call", { name: "x" });
  return fetch(url, { ...request, headers: { ...request.headers, authorization: principal } });
}

test("A-064: revoke ends the running requests of a principal with 401, and those of nobody else", async () => {
  const revoked: string[] = [];
  await using it = await listenForever({ onRevoked: (principal) => revoked.push(principal) });
  const alice = await it.begin(call(it.url, "alice"));
  const bob = await it.begin(call(it.url, "bob"));
  await it.handler.revoke("alice");
  const refused = await alice.response;
  expect(refused.status).toBe(401);
  expect(refused.headers.get("www-authenticate")).toBe('Bearer error="invalid_token"');
  expect(it.started.map(({ signal }) => signal.aborted)).toEqual([true, false]);
  expect(revoked).toEqual(["alice"]);
  await it.handler.revoke("bob");
  await bob.response;
});

test("A-064: revoke ends the sessions and the streams of a principal at once", async () => {
  const ended: unknown[] = [];
  await using it = await listenForever({
    sessions: { onSessionClosed: ({ principal }, reason) => ended.push([principal, reason]) },
  });
  const alice = await open(it.url, { authorization: "alice" });
  const bob = await open(it.url, { authorization: "bob" });
  const stream = await fetch(it.url, { headers: { ...common, ...alice } });
  const { response } = await it.begin(
    post(it.url, { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "x" } }, alice),
  );
  await it.handler.revoke("alice");
  expect(await stream.text()).toBe("");
  expect(await codeOf(await response)).toBe(-32603);
  expect(ended).toEqual([["alice", "revoked"]]);
  const ping = { jsonrpc: "2.0", id: 2, method: "ping" };
  expect((await post(it.url, ping, alice)).status).toBe(404);
  expect((await post(it.url, ping, bob)).status).toBe(200);
});

test("one principal has at most maxInFlightPerPrincipal messages in flight; others are not limited by it", async () => {
  await using it = await listenForever({ limits: { maxInFlightPerPrincipal: 2 } });
  await it.begin(call(it.url, "alice"));
  await it.begin(call(it.url, "alice"));
  const refused = await call(it.url, "alice");
  expect(refused.status).toBe(503);
  expect(await refused.text()).toContain("the limit is 2 (maxInFlightPerPrincipal)");
  await it.begin(call(it.url, "bob"));
  await it.handler.revoke("alice");
  await it.begin(call(it.url, "alice"));
  expect(it.started).toHaveLength(4);
});

test("one principal has at most maxSessionsPerPrincipal sessions: the one that was idle for longest ends", async () => {
  const ended: string[] = [];
  await using it = await listenForever({
    limits: { maxSessionsPerPrincipal: 2 },
    sessions: { onSessionClosed: ({ id }) => ended.push(id) },
  });
  const first = await open(it.url, { authorization: "alice" });
  const second = await open(it.url, { authorization: "alice" });
  await open(it.url, { authorization: "bob" });
  await open(it.url);
  await open(it.url);
  await open(it.url);
  await open(it.url, { authorization: "alice" });
  expect(ended).toEqual([first["mcp-session-id"]]);
  // A session that is read is busy, and stays.
  const stream = await fetch(it.url, { headers: { ...common, ...second } });
  await open(it.url, { authorization: "alice" });
  expect(ended).toHaveLength(2);
  expect(ended).not.toContain(second["mcp-session-id"]);
  await stream.body?.cancel();
});

test.each(["initialize", "subscriptions/listen", "tools/call"])(
  "A-064: a request (%s) that arrives while its sender is revoked does not begin",
  async (method) => {
    let release = (): void => {};
    const gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    const started: string[] = [];
    const server = peerServer((scope) => {
      started.push(scope.method);
      return {};
    });
    await using handler = createStreamableHandler({
      getServer: () => gate.then(() => server),
      onError: () => {},
    });
    const request = (): Request =>
      new Request(
        "http://127.0.0.1/mcp",
        method === "initialize"
          ? { method: "POST", headers: common, body: JSON.stringify(initialize) }
          : modern(method),
      );
    const alice = handler.serve(request(), { auth: { principal: "alice" } });
    const bob = handler.serve(request(), { auth: { principal: "bob" } });
    await handler.revoke("alice");
    release();
    expect((await alice).status).toBe(401);
    expect((await alice).headers.get("www-authenticate")).toBe('Bearer error="invalid_token"');
    expect((await bob).status).toBe(200);
    expect(started.length).toBeLessThan(2);
    const later = await handler.serve(request(), { auth: { principal: "alice" } });
    expect(later.status).toBe(200);
  },
);
