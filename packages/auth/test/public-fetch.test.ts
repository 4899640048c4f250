import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo, LookupFunction } from "node:net";

import { createOAuth, clientCredentials, type AuthError } from "@tenon/auth/client";
import { jwt } from "@tenon/auth/jwt";
import { publicFetch } from "@tenon/auth/node";
import { createGuard } from "@tenon/auth/server";
import { expect, test } from "vitest";

import { bearer } from "./issuer.ts";

/** A server on loopback that records what reaches it. */
async function serve(): Promise<
  { port: number; requests: IncomingMessage[]; bodies: string[] } & AsyncDisposable
> {
  const requests: IncomingMessage[] = [];
  const bodies: string[] = [];
  const http = createServer((request, response) => {
    requests.push(request);
    let body = "";
    request.setEncoding("utf8");
    request.on("data", (part: string) => (body += part));
    request.on("end", () => {
      bodies.push(body);
      const status = Number(new URL(request.url ?? "/", "http://x").searchParams.get("status") ?? "200");
      response.writeHead(status, { "content-type": "application/json", "x-a": ["1", "2"], location: "/" });
      response.end(status === 204 ? undefined : '{"a":1}');
    });
  });
  http.listen(0, "127.0.0.1");
  await once(http, "listening");
  return {
    port: (http.address() as AddressInfo).port,
    requests,
    bodies,
    [Symbol.asyncDispose]: () => {
      http.closeAllConnections();
      http.close();
      return Promise.resolve();
    },
  };
}

/** A resolver whose answers follow each other; the last one stays. */
function resolver(...answers: readonly (readonly string[])[]): LookupFunction & { names: string[] } {
  const names: string[] = [];
  const lookup: LookupFunction = (host, _, callback) => {
    const addresses = answers[Math.min(names.length, answers.length - 1)] ?? [];
    names.push(host);
    callback(
      null,
      addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 })),
    );
  };
  return Object.assign(lookup, { names });
}

const refused = { code: "ADDRESS_REFUSED" };

test.each([
  ["loopback", ["127.0.0.1"]],
  ["loopback of IPv6", ["::1"]],
  ["the metadata of a cloud", ["169.254.169.254"]],
  ["a private network", ["10.1.2.3"]],
  ["a link with its zone", ["fe80::1%eth0"]],
  ["an IPv4 address inside IPv6", ["::ffff:10.0.0.1"]],
  ["NAT64 of a private address", ["64:ff9b::a9fe:a9fe"]],
  ["a public address beside a private one", ["8.8.8.8", "127.0.0.1"]],
])("A-015: a name that resolves to %s is not connected to (R-790)", async (_, addresses) => {
  await using server = await serve();
  const fetch = publicFetch({ lookup: resolver(addresses) });
  await expect(fetch(`http://evil.example:${server.port}/`)).rejects.toMatchObject(refused);
  expect(server.requests).toEqual([]);
});

test.each(["127.0.0.1", "[::1]", "2130706433", "[::ffff:127.0.0.1]"])(
  "A-015: the address %s is refused without a lookup",
  async (host) => {
    await using server = await serve();
    const lookup = resolver(["8.8.8.8"]);
    await expect(publicFetch({ lookup })(`http://${host}:${server.port}/`)).rejects.toMatchObject(refused);
    expect(lookup.names).toEqual([]);
  },
);

test("A-015: the address that was checked is connected to, and a name that changes afterwards is refused", async () => {
  await using server = await serve();
  const lookup = resolver(["127.0.0.1"], ["::1"]);
  const asked: string[] = [];
  const fetch = publicFetch({
    lookup,
    allow: (address, host) => {
      asked.push(`${host} ${address}`);
      return address === "127.0.0.1";
    },
  });
  const url = `http://rebound.example:${server.port}/`;
  expect((await fetch(url)).status).toBe(200);
  expect(lookup.names).toEqual(["rebound.example"]);
  expect(server.requests[0]?.headers.host).toBe(`rebound.example:${server.port}`);
  await expect(fetch(url)).rejects.toMatchObject(refused);
  expect(asked).toEqual(["rebound.example 127.0.0.1", "rebound.example ::1"]);
  expect(server.requests).toHaveLength(1);
});

test("only true allows a private address", async () => {
  await using server = await serve();
  const allow = (() => Promise.resolve(true)) as unknown as () => boolean;
  const fetch = publicFetch({ allow, lookup: resolver(["127.0.0.1"]) });
  await expect(fetch(`http://a.example:${server.port}/`)).rejects.toMatchObject(refused);
});

test("requests and responses are passed on, and redirects are not followed", async () => {
  await using server = await serve();
  const fetch = publicFetch({ allow: () => true });
  const url = `http://127.0.0.1:${server.port}/`;
  const posted = await fetch(new URL(url), {
    method: "POST",
    headers: { "x-b": "c" },
    body: new URLSearchParams({ a: "b c" }),
  });
  expect(await posted.json()).toEqual({ a: 1 });
  expect(posted.headers.get("x-a")).toBe("1, 2");
  expect(server.requests[0]).toMatchObject({ method: "POST", headers: { "x-b": "c" } });
  expect(server.bodies).toEqual(["a=b+c"]);
  expect(await (await fetch(`${url}?status=204`)).text()).toBe("");
  expect((await fetch(`${url}?status=302`)).status).toBe(302);
  expect(server.requests).toHaveLength(3);
});

test("a name without an address, a failing resolver, an aborted request and another scheme reject", async () => {
  const failing: LookupFunction = (_, __, callback) => callback(new Error("no such name"), []);
  await expect(publicFetch({ lookup: resolver([]) })("http://a.example/")).rejects.toThrow("no address");
  await expect(publicFetch({ lookup: failing })("http://a.example/")).rejects.toThrow("no such name");
  await expect(publicFetch()("ftp://a.example/")).rejects.toThrow("scheme ftp:");
  const signal = AbortSignal.abort(new Error("stop"));
  await expect(publicFetch({ lookup: resolver([]) })("http://a.example/", { signal })).rejects.toThrow();
  expect(() => publicFetch({ resolve: 1 } as object)).toThrow("resolve");
});

test("A-015: discovery by names that resolve to private addresses is refused, and not taken for an outage", async () => {
  const lookup = resolver(["10.0.0.7"]);
  await using auth = createOAuth({
    server: "https://mcp.example/mcp",
    grant: clientCredentials(),
    fetch: publicFetch({ lookup }),
  });
  const error = (await auth.login().catch((reason: unknown) => reason)) as AuthError;
  expect(error).toMatchObject({ ...refused, retryable: false, server: "https://mcp.example/mcp" });
  expect(lookup.names).toEqual(["mcp.example"]);
});

test("A-015: the keys of an issuer whose name resolves to a private address are not fetched", async () => {
  const errors: unknown[] = [];
  const lookup = resolver(["192.168.0.9"]);
  const guard = createGuard({
    resource: "https://mcp.example/mcp",
    verify: jwt({ issuer: "https://as.example", fetch: publicFetch({ lookup }) }),
    onError: (error) => errors.push(error),
  });
  // An at+jwt with ES256 of the issuer https://as.example. Its signature is never reached.
  const token = "eyJhbGciOiJFUzI1NiIsInR5cCI6ImF0K2p3dCJ9.eyJpc3MiOiJodHRwczovL2FzLmV4YW1wbGUifQ.YQ";
  const answer = (await guard.authenticate(bearer(token))) as Response;
  expect(answer.status).toBe(503);
  expect(new Set(lookup.names)).toEqual(new Set(["as.example"]));
  expect(errors).toMatchObject([{ cause: { cause: refused } }]);
});

test("bytes are sent as they are, and other bodies as their text", async () => {
  await using server = await serve();
  const fetch = publicFetch({ allow: () => true });
  for (const body of [new TextEncoder().encode("é"), new URLSearchParams({ a: "b" })]) {
    await fetch(`http://127.0.0.1:${server.port}/`, { method: "POST", body });
  }
  expect(server.bodies).toEqual(["é", "a=b"]);
});
