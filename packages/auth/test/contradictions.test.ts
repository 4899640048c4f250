import { createHttpClient, fetchWire, readText, type FetchLike } from "@tenon/http/client";
import { describe, expect, test } from "vitest";

import { headersOf, setUp, turns } from "./setup.ts";

/** Sends one request of a kind, and returns its status, or the code of its error. */
type Send = (method: string, body?: string) => Promise<unknown>;

/** An MCP server that refuses some requests with 401, whatever their tokens are. */
function refusing(refuses: (method: string, body: string) => boolean) {
  const { servers, provider, clock } = setUp();
  let isRefusing = true;
  const fetch: FetchLike = async (input, init) =>
    isRefusing && refuses(init.method ?? "GET", typeof init.body === "string" ? init.body : "")
      ? new Response("", { status: 401, headers: { "www-authenticate": "Bearer" } })
      : servers.fetch(input, init);
  const http = createHttpClient({ wire: fetchWire(fetch), auth: provider });
  const send: Send = async (method, body) => {
    const { signal } = new AbortController();
    const request = { url: new URL(servers.server), method, headers: {}, signal };
    try {
      const response = await http(body === undefined ? request : { ...request, body });
      await readText(response, 65_536);
      return response.status;
    } catch (error) {
      return (error as { readonly code?: unknown }).code;
    }
  };
  const refreshes = (): number =>
    servers.of("token").filter(({ parameters }) => parameters.get("grant_type") === "refresh_token").length;
  return {
    servers,
    clock,
    send,
    refreshes,
    logins: () => servers.of("authorize").length,
    repair() {
      isRefusing = false;
    },
  };
}

const call = (name: string): string =>
  JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: {} } });

describe("requests of one kind that are refused with tokens that others are accepted with", () => {
  test.each(["GET", "DELETE"])("a %s causes one refresh, however many calls follow", async (method) => {
    const { send, refreshes, logins } = refusing((each) => each === method);
    for (let round = 0; round < 10; round++) {
      expect(await send("POST", call("a"))).toBe(200);
      // The refusal is final, so that whoever asks can give up.
      expect(await send(method)).toBe(401);
      expect(await send("POST", call("b"))).toBe(200);
    }
    expect([refreshes(), logins()]).toEqual([1, 1]);
  });

  test("calls that are refused cause no refresh for the streams that are accepted", async () => {
    const { send, refreshes } = refusing((method, body) => method === "POST" && body !== call("login"));
    await send("POST", call("login"));
    for (let round = 0; round < 10; round++) {
      await send("POST", call("a"));
      expect(await send("GET")).toBe(200);
    }
    expect(refreshes()).toBeLessThanOrEqual(2);
  });

  test("one tool that is refused causes no refresh for each of its calls", async () => {
    const { send, refreshes, clock } = refusing((_, body) => body === call("broken"));
    await send("POST", call("a"));
    for (let round = 0; round < 10; round++) {
      expect(await send("POST", call("broken"))).toBe(round === 0 ? "TOKEN_REJECTED" : 401);
      expect(await send("POST", call("a"))).toBe(200);
    }
    expect(refreshes()).toBe(2);
    // It is tried again from time to time, because a token may have become too weak.
    clock.advance(61_000);
    await send("POST", call("broken"));
    await send("POST", call("a"));
    expect(refreshes()).toBe(4);
    clock.advance(61_000);
    expect(await send("POST", call("broken"))).toBe(401);
    expect(refreshes()).toBe(4);
  });

  test("a server that is repaired serves the requests again with the same tokens", async () => {
    const { send, refreshes, repair } = refusing((method) => method === "GET");
    await send("POST", call("a"));
    await send("GET");
    repair();
    await send("POST", call("a"));
    expect(await send("GET")).toBe(200);
    expect(refreshes()).toBe(1);
  });

  test("a token that has really ended is renewed for a stream and for a call", async () => {
    const { send, refreshes, servers } = refusing(() => false);
    await send("POST", call("a"));
    servers.tokens.expireAll();
    expect(await send("GET")).toBe(200);
    servers.tokens.expireAll();
    expect(await send("POST", call("a"))).toBe(200);
    servers.tokens.expireAll();
    expect(await send("GET")).toBe(200);
    expect(refreshes()).toBe(3);
  });
});

test("tokens that are rejected because the authorization server has moved are not used again, nor revoked: that may end the logins at other servers", async () => {
  const { servers, provider } = setUp({}, { interactive: "onLogin" });
  await provider.login();
  servers.script.next("mcp", { status: 401, headers: { "www-authenticate": "Bearer" } });
  const issuer = `${servers.issuer}/moved`;
  servers.script.next("resource-metadata", {
    edit: (json) => ({ ...json, authorization_servers: [issuer] }),
  });
  servers.script.next("server-metadata", { body: { issuer, token_endpoint: `${issuer}/token` } });
  await expect(servers.call(provider)).rejects.toMatchObject({ code: "NEEDS_USER" });
  await turns();
  expect(await headersOf(provider, servers.server)).toBeUndefined();
  expect(servers.of("revoke")).toEqual([]);
});
