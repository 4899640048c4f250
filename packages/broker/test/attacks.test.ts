import { createServer } from "node:net";
import type { AddressInfo } from "node:net";

import { expect, test } from "vitest";

import { createBroker, development, github, oauth2 } from "../src/index.ts";
import { createMemoryAuthStore } from "../src/store/memory.ts";
import { allowAll, openBrowser, type Page } from "./browser.ts";
import { downstream, register, tryToken } from "./downstream.ts";
import { scopes, startProtected } from "./support.ts";

const evil = "https://evil.example/callback";
const stopAtClient = () =>
  openBrowser((url) => !url.startsWith("http://127.0.0.1") || url.includes(":7777/"));

function isRefused({ status, text, headers }: Page): boolean {
  return status === 400 && text.includes("This login has ended") && !headers.has("location");
}

test("B-001: a stranger's client gets nothing from a user who is logged in and has allowed others: the page names it and its redirect host (R-761)", async () => {
  await using server = await startProtected();
  const browser = stopAtClient();
  await (await downstream(server.origin)).login(browser);
  const stranger = await downstream(server.origin, { redirectUri: evil, name: "A client" });
  const page = await browser.visit(stranger.authorizationUrl());
  expect(page.status).toBe(200);
  expect(page.text).toContain("evil.example");
  expect(page.text).toContain("A client");
  expect(page.text).toContain("alice@example.com");
  expect(page.text).toContain("Read your notes");
  expect(page.text).not.toContain("You allowed the same");
});

test("B-002: a page is of use once, to the browser that got it, with its own nonce, and to forms of the broker only (R-795)", async () => {
  await using server = await startProtected();
  const browser = stopAtClient();
  const client = await downstream(server.origin);
  const [first, other] = [
    await browser.visit(client.authorizationUrl()),
    await browser.visit(client.authorizationUrl()),
  ];
  const consent = await browser.follow(await browser.submit(first, "with:development"), "Alice Example");
  const stolen = stopAtClient();
  expect(isRefused(await stolen.submit(consent, "allow"))).toBe(true);
  expect(isRefused(await browser.submit(consent, "allow", { nonce: "x".repeat(43) }))).toBe(true);
  const foreign = /name="nonce" value="([^"]+)"/.exec(other.text)?.[1] ?? "";
  expect(isRefused(await browser.submit(consent, "allow", { nonce: foreign }))).toBe(true);
  const fields = [...consent.text.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)"/g)].map(
    ([, name = "", value = ""]) => [name, value],
  );
  const post = (headers: Record<string, string>): Promise<Page> =>
    browser.visit(`${server.origin}/login`, {
      method: "POST",
      headers,
      body: new URLSearchParams({ ...(Object.fromEntries(fields) as Record<string, string>), do: "allow" }),
    });
  expect(isRefused(await post({ origin: "https://evil.example" }))).toBe(true);
  expect(isRefused(await post({ "sec-fetch-site": "cross-site" }))).toBe(true);
  const allowed = await browser.submit(consent, "allow");
  expect(new URL(allowed.url).searchParams.has("code")).toBe(true);
  expect(isRefused(await browser.submit(consent, "allow"))).toBe(true);
});

test("B-003: no page can be framed, runs scripts or is kept", async () => {
  await using server = await startProtected();
  const browser = stopAtClient();
  const client = await downstream(server.origin);
  const start = await browser.visit(client.authorizationUrl());
  const consent = await browser.follow(await browser.submit(start, "with:development"), "Alice Example");
  const account = await browser.visit(`${server.origin}/account`);
  const device = await browser.visit(`${server.origin}/device`);
  const broken = await browser.visit(`${server.origin}/authorize?client_id=nobody`);
  for (const { headers, text } of [start, consent, account, device, broken]) {
    const policy = headers.get("content-security-policy") ?? "";
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toContain("script-src");
    expect(headers.get("x-frame-options")).toBe("DENY");
    expect(headers.get("cache-control")).toBe("no-store");
    expect(text).not.toContain("<script");
  }
  expect(consent.headers.get("content-security-policy")).toContain(
    "form-action 'self' http://127.0.0.1:7777;",
  );
});

test("B-004: the response of one provider at the address of another is refused", async () => {
  const other = oauth2({
    id: "other",
    name: "Other",
    clientId: "c",
    authorizationEndpoint: "https://other.example/authorize",
    tokenEndpoint: "https://other.example/token",
    profile: { subject: "id" },
  });
  const asked: string[] = [];
  await using server = await startProtected({
    upstream: [development(), other],
    fetch(url) {
      asked.push(url);
      return Promise.resolve(Response.json({ access_token: "a", id: "alice" }));
    },
  });
  const browser = openBrowser((url) => url.startsWith("https://other.example"));
  const page = await browser.visit((await downstream(server.origin)).authorizationUrl());
  const honest = new URL((await browser.submit(page, "with:other")).url);
  const state = honest.searchParams.get("state") ?? "";
  const mixed = await browser.visit(`${server.origin}/login/callback/development?code=c&state=${state}`);
  expect(isRefused(mixed)).toBe(true);
  // The state was for one response, whatever it was.
  expect(isRefused(await browser.visit(`${server.origin}/login/callback/other?code=c&state=${state}`))).toBe(
    true,
  );
  expect(asked).toEqual([]);
});

test("B-005: a code is of no use to another client, with another verifier, or twice", async () => {
  await using server = await startProtected();
  const [client, thief] = [await downstream(server.origin), await downstream(server.origin)];
  const browser = stopAtClient();
  const back = await client.login(browser);
  expect(await thief.redeem(back)).toMatchObject({ status: 400, error: "invalid_grant" });
  const again = await client.login(browser);
  const code = again.searchParams.get("code") ?? "";
  const form = { grant_type: "authorization_code", code, redirect_uri: client.redirectUri };
  expect(await client.token({ ...form, code_verifier: thief.verifier })).toMatchObject({
    error: "invalid_grant",
  });
  const third = await client.login(browser);
  const tokens = await client.redeem(third);
  expect(tokens.status).toBe(200);
  expect(await client.redeem(third)).toMatchObject({ status: 400, error: "invalid_grant" });
  // Whoever has used the code first has lost what it gave.
  expect(await tryToken(server.origin, tokens.access_token)).toBe(401);
  const parallel = await client.login(browser);
  const statuses = (await Promise.all([1, 2, 3, 4].map(() => client.redeem(parallel)))).map(
    ({ status }) => status,
  );
  expect(statuses.filter((status) => status === 200).length).toBeLessThanOrEqual(1);
});

test.each([
  ["without a challenge", { code_challenge: undefined, code_challenge_method: undefined }],
  ["with the method plain", { code_challenge_method: "plain" }],
  ["without a method, which means plain", { code_challenge_method: undefined }],
])("B-006: a login %s is refused", async (_, changes) => {
  await using server = await startProtected();
  const page = await stopAtClient().visit((await downstream(server.origin)).authorizationUrl(changes));
  expect(new URL(page.url).searchParams.get("error")).toBe("invalid_request");
});

test("B-007: nobody is sent to a redirect URI that is not registered, such as a look-alike", async () => {
  await using server = await startProtected();
  const client = await downstream(server.origin);
  for (const redirect_uri of [
    "https://evil.example/",
    "http://127.0.0.1:7777/callback/../evil",
    "http://127.0.0.1:7777/callback2",
    "http://127.0.0.1:7777/callback?next=https://evil.example",
    "http://127.0.0.1:7777/callback#fragment",
    "http://127.0.0.1.evil.example:7777/callback",
    "http://127.0.0.1:7777@evil.example/callback",
    "http://localhost:7777/callback",
    "//evil.example/callback",
  ]) {
    const page = await openBrowser(() => true).visit(client.authorizationUrl({ redirect_uri }));
    expect([redirect_uri, page.status, page.headers.has("location")]).toEqual([redirect_uri, 400, false]);
  }
});

test("B-008: a redirect URI that only looks harmless is not registered", async () => {
  await using server = await startProtected();
  for (const uri of [
    "http://127.0.0.1.evil.example/callback",
    "http://localhost.evil.example/callback",
    "http://127.0.0.1@evil.example/callback",
    "http://evil.example/callback",
    "http://127.0.0.1\\@evil.example/callback",
    "https://evil.example/#a",
    "https://*/callback",
    "https://a;b,c.example/callback",
    "javascript:alert(1)",
    "data:text/html,x",
    "file:///etc/passwd",
    "view-source:https://evil.example",
    "https://user:password@evil.example/",
    " https://evil.example/",
    "https://ev\til.example/",
    `https://evil.example/${"a".repeat(3000)}`,
    "",
    7,
  ]) {
    const { status, body } = await register(server.origin, {
      redirect_uris: [uri],
      token_endpoint_auth_method: "none",
    });
    expect([uri, status, body["error"]]).toEqual([uri, 400, "invalid_redirect_uri"]);
  }
});

test("B-009: a flood of registrations ends at the limit, ends by itself, and leaves what is registered alone", async () => {
  const written: { readonly key: string; readonly expiresAt: number | undefined; readonly size: number }[] =
    [];
  const memory = createMemoryAuthStore();
  await using server = await startProtected({
    stores: {
      auth: {
        ...memory,
        put(key, value, options) {
          written.push({ key, expiresAt: options?.expiresAt, size: key.length + value.length });
          return memory.put(key, value, options);
        },
      },
    },
    limits: { maxRegistrations: 50 },
  });
  const client = await downstream(server.origin);
  const before = written.length;
  const [route] = server.broker.routes;
  const flood = async (): Promise<number> => {
    const response = await route?.serve(
      new Request(`${server.origin}/register`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ client_name: "x", redirect_uris: [evil], token_endpoint_auth_method: "none" }),
      }),
    );
    return response?.status ?? 0;
  };
  const statuses: number[] = [];
  for (let count = 0; count < 200; count++) {
    statuses.push(await flood());
  }
  expect(statuses.filter((status) => status === 201)).toHaveLength(49);
  expect(new Set(statuses.slice(50))).toEqual(new Set([429]));
  const added = written.slice(before);
  expect(added).toHaveLength(49);
  const hour = Date.now() + 3_600_000;
  expect(added.every(({ expiresAt = Infinity, size }) => expiresAt <= hour && size <= 2048)).toBe(true);
  expect((await client.redeem(await client.login())).status).toBe(200);
});

test("B-010: the document of a client at a private address is not fetched: no connection is made", async () => {
  let connections = 0;
  const inside = createServer((socket) => {
    connections++;
    socket.destroy();
  });
  await new Promise<void>((resolve) => {
    inside.listen(0, "127.0.0.1", resolve);
  });
  const { port } = inside.address() as AddressInfo;
  await using server = await startProtected();
  for (const host of [
    `127.0.0.1:${port}`,
    `localhost:${port}`,
    `[::ffff:127.0.0.1]:${port}`,
    `2130706433:${port}`,
  ]) {
    const client = await downstream(server.origin, { clientId: `https://${host}/client.json` });
    const page = await stopAtClient().visit(client.authorizationUrl());
    expect([host, page.status]).toEqual([host, 400]);
    expect(page.text).toContain("invalid_client");
  }
  expect(connections).toBe(0);
  await new Promise((resolve) => {
    inside.close(resolve);
  });
});

const document = (changes: object = {}): object => ({
  client_id: "https://client.example/oauth.json",
  client_name: "Document client",
  redirect_uris: ["http://127.0.0.1/callback"],
  token_endpoint_auth_method: "none",
  ...changes,
});

test("a client with a metadata document logs in, on any port, and its page names the host of the document", async () => {
  await using server = await startProtected({
    fetchDocument: () => Promise.resolve(Response.json(document())),
  });
  const client = await downstream(server.origin, { clientId: "https://client.example/oauth.json" });
  const browser = stopAtClient();
  const page = await browser.visit(client.authorizationUrl());
  expect(page.text).toContain("client.example");
  expect(page.text).toContain("program on your computer");
  expect((await client.redeem(await client.login(browser))).status).toBe(200);
});

test.each([
  ["is another client's", () => Response.json(document({ client_id: "https://other.example/oauth.json" }))],
  [
    "redirects to a look-alike",
    () => Response.json(document({ redirect_uris: ["http://127.0.0.1.evil.example/"] })),
  ],
  ["is larger than any", () => Response.json(document({ padding: "x".repeat(20_000) }))],
  ["grows without end", () => new Response(endless(), { headers: { "content-type": "application/json" } })],
  [
    "is a redirect",
    () => new Response(null, { status: 302, headers: { location: "http://169.254.169.254/" } }),
  ],
  [
    "has a secret",
    () => Response.json(document({ client_secret: "s", token_endpoint_auth_method: "client_secret_post" })),
  ],
  ["is not JSON", () => new Response("<html>", { headers: { "content-type": "text/html" } })],
])("B-011: a metadata document that %s is refused", async (_, respond) => {
  await using server = await startProtected({ fetchDocument: () => Promise.resolve(respond()) });
  const client = await downstream(server.origin, {
    clientId: "https://client.example/oauth.json",
    redirectUri: "http://127.0.0.1.evil.example/",
  });
  const page = await openBrowser(() => true).visit(client.authorizationUrl());
  expect(page.status).toBe(400);
  expect(page.headers.has("location")).toBe(false);
});

function endless(): ReadableStream<Uint8Array> {
  return new ReadableStream({
    pull: (controller) => controller.enqueue(new Uint8Array(8192).fill(32)),
  });
}

test("B-012: the victim of a prepared login is not logged in as the attacker, and the attacker not as the victim", async () => {
  await using server = await startProtected();
  const attacker = openBrowser((url) => url.includes("/login/callback/"));
  const page = await attacker.visit((await downstream(server.origin)).authorizationUrl());
  const callback = await attacker.follow(await attacker.submit(page, "with:development"), "Bob Example");
  const victim = stopAtClient();
  expect(isRefused(await victim.visit(callback.url))).toBe(true);
  expect([...victim.cookies.keys()]).toEqual([]);
  // A link to the middle of the login is of no use in another browser either.
  expect(isRefused(await victim.visit(page.url))).toBe(true);
});

test("B-013: a session that was prepared or copied is worth nothing, and each login begins a new one", async () => {
  await using server = await startProtected();
  const browser = stopAtClient();
  browser.cookies.set("tenon-broker-session", "a".repeat(43));
  const client = await downstream(server.origin);
  await client.login(browser);
  const first = browser.cookies.get("tenon-broker-session") ?? "";
  expect(first).not.toBe("a".repeat(43));
  const thief = stopAtClient();
  thief.cookies.set("tenon-broker-session", first);
  expect((await thief.visit(client.authorizationUrl())).text).toContain("with:development");
  const page = await browser.visit(client.authorizationUrl());
  const start = await browser.submit(page, "switch");
  await browser.follow(await browser.submit(start, "with:development"), "Bob Example");
  expect(browser.cookies.get("tenon-broker-session")).not.toBe(first);
});

test("B-014: a request that must not ask the user gets no code, whatever the user has allowed before", async () => {
  await using server = await startProtected();
  const browser = stopAtClient();
  const client = await downstream(server.origin);
  await client.login(browser);
  const silent = await browser.visit(client.authorizationUrl({ prompt: "none" }));
  const { searchParams } = new URL(silent.url);
  expect(searchParams.has("code")).toBe(false);
  expect(searchParams.get("error")).toMatch(/_required$/);
  expect(searchParams.get("iss")).toBe(server.origin);
  const page = await browser.visit(client.authorizationUrl());
  expect(page.text).toContain("You allowed the same to this client on");
  expect(page.text).toContain('value="allow"');
});

test("B-015: what a client calls itself is text, cannot hide its direction, and is cut", async () => {
  await using server = await startProtected();
  const name = `<script>alert(1)</script>\u202Eevil\u0000\u2066${"x".repeat(150)}`;
  const client = await downstream(server.origin, { name });
  const { text } = await stopAtClient().visit(client.authorizationUrl());
  expect(text).toContain("&#60;script&#62;");
  expect(text).not.toMatch(/<script|[\u202E\u2066\0]/);
  expect(text).not.toContain("x".repeat(100));
});

test("B-016: a forged forwarded header changes no URL, and on loopback another Host is refused", async () => {
  await using server = await startProtected();
  const [route] = server.broker.routes;
  const forged = {
    "x-forwarded-host": "evil.example",
    "x-forwarded-proto": "https",
    forwarded: "host=evil.example",
  };
  const well = "/.well-known/oauth-authorization-server";
  const metadata = await fetch(`${server.origin}${well}`, { headers: forged });
  expect(await metadata.text()).not.toContain("evil");
  const client = await downstream(server.origin);
  const begun = await fetch(client.authorizationUrl(), { headers: forged, redirect: "manual" });
  expect(begun.headers.get("location")).toMatch(/^\/login\?id=/);
  for (const origin of ["http://evil.example", "http://127.0.0.1.evil.example"]) {
    expect((await route?.serve(new Request(`${origin}${well}`)))?.status).toBe(403);
  }
});

test("B-017: a token for another server is not issued, and no other token of the broker opens this one", async () => {
  await using server = await startProtected();
  const browser = stopAtClient();
  const client = await downstream(server.origin);
  const foreign = await browser.visit(client.authorizationUrl({ resource: "https://other.example/mcp" }));
  expect(new URL(foreign.url).searchParams.get("error")).toBe("invalid_target");
  const tokens = (await client.redeem(
    await client.login(browser, { scope: "openid notes:read" }),
  )) as unknown as Record<string, string>;
  expect(await tryToken(server.origin, tokens["access_token"] ?? "")).toBe(200);
  expect(await tryToken(server.origin, tokens["id_token"] ?? "")).toBe(401);
  expect(await tryToken(server.origin, tokens["refresh_token"] ?? "")).toBe(401);
});

test("B-018: what a user revokes is of no use a moment later, by any client of any browser", async () => {
  await using server = await startProtected();
  const browser = stopAtClient();
  const [client, other] = [
    await downstream(server.origin, { name: "First" }),
    await downstream(server.origin, { name: "Second" }),
  ];
  const tokens = await client.redeem(await client.login(browser));
  const others = await other.redeem(await other.login(browser));
  const account = await browser.visit(`${server.origin}/account`);
  expect(account.text).toContain("First");
  const foreign = stopAtClient();
  expect((await foreign.submit(account, "revoke-all")).status).toBe(403);
  await browser.submit(account, "revoke", { client: client.clientId });
  expect(
    await client.token({ grant_type: "refresh_token", refresh_token: tokens.refresh_token }),
  ).toMatchObject({
    error: "invalid_grant",
  });
  expect(await tryToken(server.origin, tokens.access_token)).toBe(401);
  expect(await tryToken(server.origin, others.access_token)).toBe(200);
  await server.broker.forget("development:alice");
  expect(
    (await other.token({ grant_type: "refresh_token", refresh_token: others.refresh_token })).status,
  ).toBe(400);
});

test("B-019: the development login does not start where others can reach it", async () => {
  const base = { scopes, upstream: development(), keys: ["k".repeat(32)] };
  await expect(createBroker({ ...base, resource: "https://notes.example/mcp" })).rejects.toThrow(TypeError);
  await expect(
    createBroker({
      ...base,
      upstream: oauth2({
        id: "other",
        name: "Other",
        clientId: "c",
        authorizationEndpoint: "https://other.example/authorize",
        tokenEndpoint: "https://other.example/token",
        profile: { subject: "id" },
      }),
      resource: "https://notes.example/mcp",
    }),
  ).rejects.toThrow("createBroker needs stores");
  await expect(
    createBroker({ scopes, upstream: development(), resource: "http://notes.example/mcp" }),
  ).rejects.toThrow("https, or http on loopback");
});

test("a user who denies sends the client back with an error, and without a code", async () => {
  await using server = await startProtected();
  const browser = stopAtClient();
  const client = await downstream(server.origin);
  const denied = await browser.submit(await browser.visit(client.authorizationUrl()), "deny");
  const { searchParams } = new URL(denied.url);
  expect([searchParams.get("error"), searchParams.get("state")]).toEqual(["access_denied", "s1"]);
  expect(await allowAll(browser, client.authorizationUrl())).toMatchObject({ status: 303 });
});

test("the cookies of an https issuer belong to its host alone (R-795)", async () => {
  const origin = "https://notes.example";
  const broker = await createBroker({
    resource: `${origin}/mcp`,
    scopes,
    upstream: github({ clientId: "c", clientSecret: "s" }),
    keys: ["k".repeat(32)],
    stores: { auth: createMemoryAuthStore() },
    fetchDocument: () =>
      Promise.resolve(Response.json(document({ redirect_uris: ["https://client.example/callback"] }))),
  });
  const [route] = broker.routes;
  const query = new URLSearchParams({
    response_type: "code",
    client_id: "https://client.example/oauth.json",
    redirect_uri: "https://client.example/callback",
    code_challenge: "c".repeat(43),
    code_challenge_method: "S256",
  });
  const response = await route?.serve(new Request(`${origin}/authorize?${query.toString()}`));
  const [cookie = ""] = response?.headers.getSetCookie() ?? [];
  expect(cookie).toMatch(/^__Host-tenon-browser=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; .*; Secure$/);
  // The page comes before the visit to the provider.
  expect(response?.headers.get("location")).toMatch(/^\/login\?id=/);
});
