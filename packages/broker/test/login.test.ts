import { expect, test } from "vitest";

import { createBroker, oidc } from "../src/index.ts";
import { createMemoryAuthStore } from "../src/store/memory.ts";
import { openBrowser, type Browser, type Page } from "./browser.ts";
import { downstream, register, tryToken } from "./downstream.ts";
import { callTool, clientAuth, countingStore, scopes, startProtected, type Protected } from "./support.ts";

test("a client registers, a user logs in and allows it, and a guarded tool knows the user", async () => {
  await using server = await startProtected();
  const browser = openBrowser();
  await using auth = clientAuth(server.resource, browser);
  const result = JSON.parse(await callTool(server.resource, auth)) as Record<string, unknown>;
  expect(result).toMatchObject({ subject: "development:alice", email: "alice@example.com" });
  expect(server.errors).toEqual([]);
});

const stopAtClient = () =>
  openBrowser((url) => !url.startsWith("http://127.0.0.1") || url.includes(":7777/"));
const isEnded = ({ status, text }: Page): boolean => status === 400 && text.includes("This login has ended");

/** Logs in as a user, up to the page on which the user decides. */
async function decide(browser: Browser, url: string, user = "Alice Example"): Promise<Page> {
  return browser.follow(await browser.submit(await browser.visit(url), "with:development"), user);
}

test.each([
  ["undefined", undefined],
  ["null", null],
  ["a string", "notes:read notes:write"],
  ["an array with a number", ["notes:read", 7]],
])("an account has no scopes if scopesOf returns %s, and the operator is told", async (_, given) => {
  await using server = await startProtected({ scopesOf: () => given as unknown as string[] });
  const page = await decide(stopAtClient(), (await downstream(server.origin)).authorizationUrl());
  expect(page.text).toContain('value="allow"');
  expect(page.text).not.toContain("Read your notes");
  expect(String(server.errors[0])).toContain("scopesOf of createBroker returns an array of strings");
});

test("a page of a login is of no use after its browser has logged out", async () => {
  await using server = await startProtected();
  const browser = stopAtClient();
  const page = await decide(browser, (await downstream(server.origin)).authorizationUrl());
  await browser.submit(await browser.visit(`${server.origin}/account`), "log-out");
  expect(isEnded(await browser.submit(page, "allow"))).toBe(true);
  // The login itself goes on, from its first page.
  expect((await browser.visit(page.url)).text).toContain("with:development");
});

test.each<[string, (server: Protected, other: Browser) => Promise<unknown>]>([
  [
    "the user ends all access",
    async (server, other) => {
      await decide(other, (await downstream(server.origin)).authorizationUrl());
      const account = await other.visit(`${server.origin}/account`);
      expect((await other.submit(account, "revoke-all")).text).toContain("None.");
    },
  ],
  ["the operator revokes it", ({ broker }) => broker.revoke("development:alice")],
  ["the operator forgets the user", ({ broker }) => broker.forget("development:alice")],
])("sessions and pages of other browsers end when %s", async (_, end) => {
  await using server = await startProtected();
  const browser = stopAtClient();
  const client = await downstream(server.origin);
  const page = await decide(browser, client.authorizationUrl());
  await end(server, stopAtClient());
  expect(isEnded(await browser.submit(page, "allow"))).toBe(true);
  // No dead end: the user logs in again.
  const again = await decide(browser, client.authorizationUrl());
  const { searchParams } = new URL((await browser.submit(again, "allow")).url);
  expect(searchParams.has("code")).toBe(true);
});

test("a page grants to the account and the scopes that it showed, and to no others", async () => {
  let given = ["notes:read"];
  await using server = await startProtected({ scopesOf: () => given });
  const browser = stopAtClient();
  const client = await downstream(server.origin);
  const url = client.authorizationUrl({ scope: "notes:read notes:write" });
  const first = await decide(browser, url);
  expect(first.text).not.toContain("Change your notes");
  given = ["notes:read", "notes:write"];
  const forged = await browser.submit(first, "allow", { scopes: "notes:read notes:write" });
  expect(isEnded(forged)).toBe(true);
  const start = await browser.submit(first, "switch");
  const second = await browser.follow(await browser.submit(start, "with:development"), "Bob Example");
  expect(isEnded(await browser.submit(first, "allow"))).toBe(true);
  expect(second.text).toContain("development:bob");
  given = ["notes:write"];
  const tokens = await client.redeem(new URL((await browser.submit(second, "allow")).url));
  expect(tokens.scope).toBe("notes:write");
  given = ["notes:read"];
  const third = await browser.visit(url);
  given = ["notes:read", "notes:write"];
  const narrow = await client.redeem(new URL((await browser.submit(third, "allow")).url));
  expect(narrow.scope).toBe("notes:read");
});

test("Cursor registers with its scheme, its page and its port, and gets codes at each of them", async () => {
  await using server = await startProtected();
  const redirects = [
    "cursor://anysphere.cursor-mcp/oauth/callback",
    "https://www.cursor.com/agents/mcp/oauth/callback",
    "http://localhost:8787/callback",
  ];
  const { body } = await register(server.origin, {
    client_name: "Cursor",
    redirect_uris: redirects,
    grant_types: ["authorization_code", "refresh_token"],
    response_types: ["code"],
    token_endpoint_auth_method: "none",
  });
  for (const redirectUri of redirects) {
    const client = await downstream(server.origin, { redirectUri, clientId: String(body["client_id"]) });
    expect((await client.redeem(await client.login())).status).toBe(200);
  }
});

test("a client may end the origin of a resource with a slash, as earlier official SDKs do", async () => {
  await using server = await startProtected((origin) => ({ resource: origin }));
  const resource = `${server.origin}/`;
  const client = await downstream(server.origin);
  const back = await client.login(undefined, { resource });
  const { access_token } = await client.token({
    grant_type: "authorization_code",
    code: back.searchParams.get("code") ?? "",
    redirect_uri: client.redirectUri,
    code_verifier: client.verifier,
    resource,
  });
  const described = { method: "POST", url: "/", headers: { get: () => undefined } };
  const verified = await server.broker.verify(access_token, described, new AbortController().signal);
  expect(verified).toMatchObject({ audience: expect.arrayContaining([server.origin]) as unknown });
});

test("a page that sends its user to [::1] has a policy that browsers read: no source has such an address", async () => {
  await using server = await startProtected();
  const redirectUri = "http://[::1]:7777/callback";
  const client = await downstream(server.origin, { redirectUri });
  const browser = openBrowser((url) => url.startsWith(redirectUri));
  const login = await browser.submit(await browser.visit(client.authorizationUrl()), "with:development");
  const consent = await browser.follow(login, "Alice Example");
  expect(consent.headers.get("content-security-policy")).toContain("form-action 'self' http:;");
  expect((await browser.submit(consent, "allow")).url).toContain(`${redirectUri}?code=`);
});

test("a user logs out in all browsers, and the programs keep their access", async () => {
  await using server = await startProtected();
  const client = await downstream(server.origin);
  const [lost, here] = [stopAtClient(), stopAtClient()];
  await client.login(lost);
  const tokens = await client.redeem(await client.login(here));
  const account = await here.visit(`${server.origin}/account`);
  expect((await here.submit(account, "log-out-everywhere")).text).toContain("All browsers are logged out");
  for (const browser of [lost, here]) {
    expect((await browser.visit(`${server.origin}/account`)).text).toContain("with:development");
  }
  expect(await tryToken(server.origin, tokens.access_token)).toBe(200);
  const renewed = await client.token({ grant_type: "refresh_token", refresh_token: tokens.refresh_token });
  expect(renewed.status).toBe(200);
});

test("accounts end with their provider: when it is removed, and when its id gets another issuer", async () => {
  const stores = { auth: createMemoryAuthStore() };
  const keys = ["k".repeat(40)];
  await using server = await startProtected({ stores, keys });
  const client = await downstream(server.origin);
  const { refresh_token, access_token } = await client.redeem(await client.login());
  const upstream = (id: string) =>
    oidc({ id, issuer: "https://login.example", clientId: "c", clientSecret: "s" });
  for (const id of ["other", "development"]) {
    const { routes, accountOf, verify } = await createBroker({
      resource: server.resource,
      scopes,
      stores,
      keys,
      upstream: upstream(id),
    });
    const response = await routes[0]?.serve(
      new Request(`${server.origin}/token`, {
        method: "POST",
        body: new URLSearchParams({
          grant_type: "refresh_token",
          client_id: client.clientId,
          refresh_token,
        }),
      }),
    );
    expect([id, response?.status]).toEqual([id, 400]);
    const described = { method: "POST", url: "/mcp", headers: { get: () => undefined } };
    const { signal } = new AbortController();
    const verified = await verify(access_token, described, signal);
    expect(verified).toMatchObject({ rejected: "invalid" });
    const auth = { principal: "p", issuer: server.origin, subject: "development:alice" };
    expect(await accountOf(auth)).toBeUndefined();
  }
  expect((await client.token({ grant_type: "refresh_token", refresh_token })).status).toBe(200);
});

test("nothing is stored for a visit to the account page, and starts of logins, devices and pushed requests share a limit", async () => {
  const { auth, puts } = countingStore();
  await using server = await startProtected({ stores: { auth }, limits: { maxLogins: 3 } });
  const { clientId } = await downstream(server.origin);
  const before = puts();
  const page = await openBrowser().visit(`${server.origin}/account`);
  expect([page.status, puts()]).toEqual([200, before]);
  const statuses: number[] = [];
  for (const path of [
    "/device-authorization",
    "/par",
    "/device-authorization",
    "/par",
    "/device-authorization",
  ]) {
    const body = new URLSearchParams({ client_id: clientId });
    statuses.push((await fetch(`${server.origin}${path}`, { method: "POST", body })).status);
  }
  expect(statuses.slice(3)).toEqual([429, 429]);
  expect((await openBrowser().submit(page, "with:development")).status).toBe(429);
});

test("an addressOf that throws is reported, and costs nobody an answer", async () => {
  await using server = await startProtected({
    addressOf() {
      throw new Error("no such header");
    },
  });
  expect((await fetch(`${server.origin}/jwks`)).status).toBe(200);
  expect(String(server.errors[0])).toContain("no such header");
});
