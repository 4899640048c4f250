import type { AuthInfo } from "@tenon/protocol";
import { createSSEHandler } from "@tenon/transports-sse/server";
import { expect, test } from "vitest";

import { listen, server } from "./setup.ts";

const json = { "content-type": "application/json" };

/** Opens a session. */
async function openSession(
  url: URL,
  authorization: string,
): Promise<{ endpoint: URL; rest(): Promise<string> }> {
  const response = await fetch(url, { headers: { authorization } });
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  const { value = "" } = (await reader?.read()) ?? {};
  const endpoint = new URL(/data: (.+)/.exec(value)?.[1] ?? "", url);
  return {
    endpoint,
    async rest() {
      let text = "";
      for (;;) {
        const { done, value: more = "" } = (await reader?.read()) ?? { done: true };
        if (done) {
          return text;
        }
        text += more;
      }
    },
  };
}

function post(
  endpoint: URL,
  authorization: string,
  message: object = { jsonrpc: "2.0", id: 1, method: "ask" },
) {
  return fetch(endpoint, {
    method: "POST",
    headers: { ...json, authorization },
    body: JSON.stringify(message),
  });
}

/** The token is the time of expiry, from now in milliseconds. */
const authenticate = ({ headers }: { headers: { get(name: string): string | undefined } }): AuthInfo => ({
  principal: "alice",
  scopes: ["read"],
  metadataUrl: "https://x.example/.well-known/oauth-protected-resource",
  expiresAt: Date.now() + Number(headers.get("authorization")),
});

test("authorize refuses a message with 403, a challenge and the id of the request (R-728)", async () => {
  await using listening = await listen({
    authenticate,
    authorize: ({ method }, { auth }) =>
      method === "ask" && auth?.scopes?.includes("ask") !== true ? { scopes: ["ask"] } : undefined,
  });
  const { endpoint } = await openSession(listening.url, "60000");
  const refused = await post(endpoint, "60000");
  expect(refused.status).toBe(403);
  expect(refused.headers.get("www-authenticate")).toBe(
    'Bearer error="insufficient_scope", scope="ask", resource_metadata="https://x.example/.well-known/oauth-protected-resource"',
  );
  expect(await refused.json()).toMatchObject({ id: 1, error: { code: -32600 } });
  const allowed = await post(endpoint, "60000", {
    jsonrpc: "2.0",
    id: 2,
    method: "echo",
    params: { text: "x" },
  });
  expect(allowed.status).toBe(202);
});

test("A-064: a stream ends with the credentials of its session, and fresh ones of a message prolong it", async () => {
  await using listening = await listen({ authenticate });
  const renewed = await openSession(listening.url, "-29000");
  expect((await post(renewed.endpoint, "3600000")).status).toBe(202);
  const ended = await openSession(listening.url, "-30000");
  await ended.rest();
  expect((await post(ended.endpoint, "3600000")).status).toBe(404);
  expect((await post(renewed.endpoint, "3600000")).status).toBe(202);
});

test("A-064: revoke ends the sessions of a principal, and no others", async () => {
  const revoked: string[] = [];
  await using listening = await listen({
    authenticate: ({ headers }) => ({ principal: headers.get("authorization") ?? "" }),
    onRevoked: (principal) => {
      revoked.push(principal);
      throw new Error("its cache is gone");
    },
    onError: () => {},
  });
  const alice = await openSession(listening.url, "alice");
  const bob = await openSession(listening.url, "bob");
  await listening.handler.revoke("alice");
  await alice.rest();
  expect((await post(alice.endpoint, "alice")).status).toBe(404);
  expect((await post(bob.endpoint, "bob")).status).toBe(202);
  expect(revoked).toEqual(["alice"]);
});

test("one principal has at most maxSessionsPerPrincipal sessions, and others as many of their own", async () => {
  await using listening = await listen({
    authenticate: ({ headers }) => ({ principal: headers.get("authorization") ?? "" }),
    limits: { maxSessionsPerPrincipal: 1 },
  });
  const alice = await openSession(listening.url, "alice");
  expect((await fetch(listening.url, { headers: { authorization: "alice" } })).status).toBe(503);
  await openSession(listening.url, "bob");
  await listening.handler.revoke("alice");
  await alice.rest();
  await openSession(listening.url, "alice");
});

test("A-064: a session that opens while its sender is revoked does not begin", async () => {
  let release = (): void => {};
  const gate = new Promise<void>((resolve) => {
    release = resolve;
  });
  await using handler = createSSEHandler({
    getServer: () => gate.then(() => server),
    onError: () => {},
  });
  const open = (principal: string): Promise<Response> =>
    handler.serve(new Request("http://127.0.0.1/sse"), { auth: { principal } });
  const alice = open("alice");
  const bob = open("bob");
  await handler.revoke("alice");
  release();
  expect((await alice).status).toBe(401);
  expect((await bob).status).toBe(200);
  await (await bob).body?.cancel();
});
