import { expect, test, vi } from "vitest";

import { createBroker, oidc, type Account } from "../src/index.ts";
import { createMemoryAuthStore } from "../src/store/memory.ts";
import { allowAll, openBrowser, type Browser } from "./browser.ts";
import { downstream, tryToken } from "./downstream.ts";
import { comeBack, idToken, issuer, scriptedOidc, toProvider, type Scripted } from "./scripted.ts";
import { listenAt, protectedListener, scopes, startProtected, type Protected } from "./support.ts";

const outside = (): Browser =>
  openBrowser((url) => !url.startsWith("http://127.0.0.1") || url.includes(":7777/"));

/** Logs in by a provider, up to the page on which the user decides. */
async function decide(server: Protected, browser: Browser, provider: { nonce?: string }, id = "test") {
  const client = await downstream(server.origin);
  const at = await toProvider(browser, client.authorizationUrl(), id);
  provider.nonce = at.searchParams.get("nonce") ?? "";
  return { client, at, page: await comeBack(browser, at) };
}

test("a provider with OpenID Connect is asked with PKCE, state and nonce, and its user is the account", async () => {
  const provider = scriptedOidc();
  const seen: Account[] = [];
  await using server = await startProtected({
    upstream: provider.upstream,
    fetch: provider.fetch,
    allow(account) {
      seen.push(account);
      return true;
    },
  });
  const browser = outside();
  const { client, at, page } = await decide(server, browser, provider);
  expect(Object.fromEntries(at.searchParams)).toMatchObject({
    response_type: "code",
    client_id: "broker-client",
    code_challenge_method: "S256",
    scope: "openid profile email",
    redirect_uri: server.broker.redirectUris["test"],
  });
  expect(page.text).toContain("alice@example.com");
  const tokens = await client.redeem(new URL((await browser.submit(page, "allow")).url));
  expect(tokens.status).toBe(200);
  expect(seen[0]).toEqual({
    subject: "test:alice-1",
    upstream: "test",
    name: "Alice",
    email: "alice@example.com",
    groups: [],
  });
  const [exchange] = provider.asked.filter(({ url }) => url.endsWith("/token"));
  expect(exchange?.form.get("code_verifier")).toHaveLength(43);
  expect(exchange?.form.get("client_secret")).toBe("broker-secret-canary");
});

test("an address and whether it is verified come from one response of the provider", async () => {
  const provider = scriptedOidc();
  const seen: (string | undefined)[] = [];
  await using server = await startProtected({
    upstream: provider.upstream,
    fetch: provider.fetch,
    allow({ email }) {
      seen.push(email);
      return true;
    },
  });
  Object.assign(provider.changed, { email: "me@evil.example", email_verified: true });
  delete provider.said["email_verified"];
  provider.said["email"] = "boss@example.com";
  await decide(server, outside(), provider);
  delete provider.said["email"];
  await decide(server, outside(), provider);
  expect([...new Set(seen)]).toEqual([undefined, "me@evil.example"]);
});

test("B-021: a provider that answers for another account, another nonce, another client or another time is refused", async () => {
  const provider = scriptedOidc();
  await using server = await startProtected({ upstream: provider.upstream, fetch: provider.fetch });
  const now = Math.floor(Date.now() / 1000);
  for (const changed of [
    { sub: "mallory" },
    { nonce: "another" },
    { aud: "another-client" },
    { iss: "https://evil.example" },
    { iat: now - 7200, exp: now - 3600 },
    { nbf: now + 600 },
  ]) {
    Object.assign(provider.changed, { sub: undefined, nonce: undefined, ...changed });
    for (const [name, value] of Object.entries(provider.changed)) {
      if (value === undefined) {
        Reflect.deleteProperty(provider.changed, name);
      }
    }
    const { page } = await decide(server, outside(), provider);
    expect([changed, page.status]).toEqual([changed, 502]);
    expect(page.text).not.toContain('value="allow"');
    Object.keys(changed).forEach((name) => Reflect.deleteProperty(provider.changed, name));
  }
  // Clocks differ a little.
  Object.assign(provider.changed, { iat: now + 30 });
  expect((await decide(server, outside(), provider)).page.status).toBe(200);
});

test("B-022: an address that the provider has not verified is no address, and no rule sees it", async () => {
  const provider = scriptedOidc();
  const inDomain = ({ email }: Account): boolean => email?.endsWith("@example.com") === true;
  await using server = await startProtected({
    upstream: provider.upstream,
    fetch: provider.fetch,
    allow: inDomain,
  });
  provider.said["email_verified"] = false;
  const refused = await decide(server, outside(), provider);
  expect(refused.page.status).toBe(403);
  expect(refused.page.text).toContain("may not log in here");
  provider.said["email_verified"] = true;
  expect((await decide(server, outside(), provider)).page.status).toBe(200);
});

test("an account that a rule refuses later can no longer refresh, and groups decide about scopes", async () => {
  const provider = scriptedOidc();
  let isAllowed = true;
  provider.said["groups"] = ["writers"];
  await using server = await startProtected({
    upstream: provider.upstream,
    fetch: provider.fetch,
    allow: () => isAllowed,
    scopesOf: ({ groups }) => (groups.includes("writers") ? ["notes:read", "notes:write"] : ["notes:read"]),
  });
  const login = async () => {
    const browser = outside();
    const client = await downstream(server.origin);
    const at = await toProvider(browser, client.authorizationUrl({ scope: "notes:read notes:write" }));
    provider.nonce = at.searchParams.get("nonce") ?? "";
    const page = await comeBack(browser, at);
    return { client, tokens: await client.redeem(new URL((await browser.submit(page, "allow")).url)) };
  };
  const { client, tokens } = await login();
  expect(tokens.scope).toBe("notes:read notes:write");
  provider.said["groups"] = [];
  expect((await login()).tokens.scope).toBe("notes:read");
  isAllowed = false;
  expect(
    await client.token({ grant_type: "refresh_token", refresh_token: tokens.refresh_token }),
  ).toMatchObject({
    status: 400,
    error: "invalid_grant",
  });
});

test("B-023: a provider that is down, slow or limits rates costs nobody a login or a registration", async () => {
  const provider = scriptedOidc();
  await using server = await startProtected({ upstream: provider.upstream, fetch: provider.fetch });
  const browser = outside();
  const { client, page } = await decide(server, browser, provider);
  const tokens = await client.redeem(new URL((await browser.submit(page, "allow")).url));
  const failures: Scripted["answers"] = [
    ["/token", () => Promise.reject(new TypeError("fetch failed", { cause: "up-code-canary" }))],
    ["/token", () => new Response("<html>down", { status: 503 })],
    ["/token", () => Response.json({ error: "slow_down" }, { status: 429 })],
    ["/token", () => Promise.reject(new DOMException("late", "TimeoutError"))],
    ["/userinfo", () => new Response("down", { status: 502 })],
  ];
  for (const failure of failures) {
    provider.answers.push(failure);
    const late = outside();
    const failed = await decide(server, late, provider);
    expect(failed.page.status).toBe(503);
    provider.answers.pop();
    // The same login goes on.
    const again = await late.follow(failed.page, "Try again");
    const at = new URL((await late.submit(again, "with:test")).url);
    provider.nonce = at.searchParams.get("nonce") ?? "";
    expect((await comeBack(late, at)).text).toContain('value="allow"');
  }
  provider.answers.push(["/token", () => new Response("down", { status: 503 })]);
  const renewed = await client.token({ grant_type: "refresh_token", refresh_token: tokens.refresh_token });
  expect(renewed.status).toBe(200);
  expect(await tryToken(server.origin, renewed.access_token)).toBe(200);
  expect(server.errors).toHaveLength(failures.length);
});

test("the error of a provider is read although it has a challenge, as RFC 6749 requires for clients that authenticate", async () => {
  const provider = scriptedOidc();
  provider.expiresIn = 30;
  await using server = await startProtected({
    upstream: provider.upstream,
    fetch: provider.fetch,
    keepUpstreamTokens: true,
  });
  await decide(server, outside(), provider);
  let error = "invalid_client";
  provider.answers.push([
    "/token",
    () =>
      Response.json({ error }, { status: 401, headers: { "www-authenticate": 'Basic realm="provider"' } }),
  ]);
  const { page } = await decide(server, outside(), provider);
  expect(page.status).toBe(502);
  expect(page.text).toContain("login.example refused the login: invalid_client.");
  expect(server.errors).toMatchObject([{ code: "UPSTREAM_REJECTED" }]);
  const auth = { principal: "p", issuer: server.origin, subject: "test:alice-1" };
  await expect(server.broker.upstreamToken(auth)).rejects.toMatchObject({ code: "UPSTREAM_REJECTED" });
  error = "invalid_grant";
  await expect(server.broker.upstreamToken(auth)).rejects.toMatchObject({ code: "NEEDS_LOGIN" });
});

test("B-024: the provider's token is refreshed once, however many requests in two processes ask, and stays in the broker", async () => {
  const provider = scriptedOidc();
  const memory = createMemoryAuthStore();
  const shared = { auth: memory };
  const keys = ["k".repeat(40)];
  provider.expiresIn = 30;
  await using server = await startProtected({
    upstream: provider.upstream,
    fetch: provider.fetch,
    stores: shared,
    keys,
    keepUpstreamTokens: true,
  });
  const browser = outside();
  const { client, page } = await decide(server, browser, provider);
  const back = await browser.submit(page, "allow");
  const tokens = await client.redeem(new URL(back.url));
  const second = await createBroker({
    resource: server.resource,
    scopes: { "notes:read": "r", "notes:write": "w" },
    upstream: provider.upstream,
    fetch: provider.fetch,
    stores: shared,
    keys,
    keepUpstreamTokens: true,
  });
  const auth = { principal: "p", issuer: server.origin, subject: "test:alice-1" };
  provider.expiresIn = 3600;
  const got = await Promise.all(
    Array.from({ length: 10 }, (_, index) => (index % 2 === 0 ? server.broker : second).upstreamToken(auth)),
  );
  expect(new Set(got).size).toBe(1);
  const renewals = provider.asked.filter(({ form }) => form.get("grant_type") === "refresh_token");
  expect(renewals).toHaveLength(1);
  // Neither the client, nor its tokens, nor any page has seen them.
  const told =
    JSON.stringify(tokens) +
    Buffer.from(tokens.access_token.split(".")[1] ?? "", "base64url") +
    page.text +
    back.url;
  expect(provider.issued.filter((token) => told.includes(token))).toEqual([]);
  // In the other direction, a token of the provider does not open the server.
  expect(await tryToken(server.origin, got[0] ?? "")).toBe(401);
});

test("B-025: a refreshed token of another account ends the kept login, and nothing else", async () => {
  const provider = scriptedOidc();
  provider.expiresIn = 30;
  await using server = await startProtected({
    upstream: provider.upstream,
    fetch: provider.fetch,
    keepUpstreamTokens: true,
  });
  const browser = outside();
  const { client, page } = await decide(server, browser, provider);
  const tokens = await client.redeem(new URL((await browser.submit(page, "allow")).url));
  const auth = { principal: "p", issuer: server.origin, subject: "test:alice-1" };
  provider.changed["sub"] = "mallory";
  await expect(server.broker.upstreamToken(auth)).rejects.toMatchObject({ code: "NEEDS_LOGIN" });
  await expect(server.broker.upstreamToken(auth)).rejects.toMatchObject({ code: "NEEDS_LOGIN" });
  expect(await tryToken(server.origin, tokens.access_token)).toBe(200);
  await expect(server.broker.upstreamToken({ ...auth, issuer })).rejects.toMatchObject({
    code: "NEEDS_LOGIN",
  });
});

test("B-029: clocks that differ by less than a minute cost nobody a login, whichever is ahead", async () => {
  const provider = scriptedOidc();
  await using server = await startProtected({ upstream: provider.upstream, fetch: provider.fetch });
  const now = Math.floor(Date.now() / 1000);
  for (const changed of [
    { iat: now + 50, nbf: now + 50, exp: now + 350 },
    { iat: now - 350, exp: now - 50 },
  ]) {
    Object.assign(provider.changed, changed);
    const browser = outside();
    const { client, page } = await decide(server, browser, provider);
    const tokens = await client.redeem(new URL((await browser.submit(page, "allow")).url));
    Reflect.deleteProperty(provider.changed, "nbf");
    // A node that is behind the node that has issued the token.
    const clock = vi.spyOn(Date, "now").mockImplementation(() => (now - 20) * 1000);
    try {
      expect(await tryToken(server.origin, tokens.access_token)).toBe(200);
    } finally {
      clock.mockRestore();
    }
  }
});

test("B-030: a refresh token that the provider refuses as used is no loss if a login has brought a new one", async () => {
  const provider = scriptedOidc();
  provider.expiresIn = 30;
  await using server = await startProtected({
    upstream: provider.upstream,
    fetch: provider.fetch,
    keepUpstreamTokens: true,
  });
  await decide(server, outside(), provider);
  const auth = { principal: "p", issuer: server.origin, subject: "test:alice-1" };
  let refreshes = 0;
  const answer = provider.answers.findLast(([end]) => end === "/token")?.[1];
  provider.answers.push([
    "/token",
    async (asked) => {
      if (asked.form.get("grant_type") === "refresh_token") {
        refreshes++;
        provider.expiresIn = 3600;
        await decide(server, outside(), provider);
        return Response.json({ error: "invalid_grant" }, { status: 400 });
      }
      return answer?.(asked) ?? new Response("", { status: 500 });
    },
  ]);
  const token = await server.broker.upstreamToken(auth);
  expect(provider.issued.slice(-2)).toContain(token);
  expect(await server.broker.upstreamToken(auth)).toBe(token);
  expect(refreshes).toBe(1);
});

test.each(["bad_refresh_token", "invalid_refresh_token"])(
  "a kept login that a provider ends with %s needs a login, and is not tried again",
  async (error) => {
    const provider = scriptedOidc();
    provider.expiresIn = 30;
    await using server = await startProtected({
      upstream: provider.upstream,
      fetch: provider.fetch,
      keepUpstreamTokens: true,
    });
    await decide(server, outside(), provider);
    provider.answers.push(["/token", () => Response.json({ error })]);
    const auth = { principal: "p", issuer: server.origin, subject: "test:alice-1" };
    await expect(server.broker.upstreamToken(auth)).rejects.toMatchObject({ code: "NEEDS_LOGIN" });
    const requests = provider.asked.length;
    await expect(server.broker.upstreamToken(auth)).rejects.toMatchObject({ code: "NEEDS_LOGIN" });
    expect(provider.asked).toHaveLength(requests);
  },
);

test("without keepUpstreamTokens, nothing of the provider is kept", async () => {
  const provider = scriptedOidc();
  await using server = await startProtected({ upstream: provider.upstream, fetch: provider.fetch });
  await decide(server, outside(), provider);
  await expect(
    server.broker.upstreamToken({ principal: "p", issuer: server.origin, subject: "test:alice-1" }),
  ).rejects.toMatchObject({ code: "NOT_KEPT" });
});

test("a broker is a provider with OpenID Connect for another broker, over sockets", async () => {
  await using upper = await startProtected();
  await using lower = await listenAt(async (origin) => {
    const redirectUri = `${origin}/login/callback/upper`;
    const { clientId } = await downstream(upper.origin, { redirectUri, name: "Lower broker" });
    const broker = await createBroker({
      resource: `${origin}/mcp`,
      scopes,
      upstream: oidc({ issuer: upper.origin, clientId, id: "upper" }),
    });
    expect(broker.redirectUris).toEqual({ upper: redirectUri });
    return protectedListener(broker, `${origin}/mcp`);
  });
  const browser = openBrowser((url) => url.includes(":7777/"));
  const client = await downstream(lower.origin);
  const above = await browser.submit(await browser.visit(client.authorizationUrl()), "with:upper");
  expect(above.text).toContain("Lower broker");
  const asked = await browser.follow(await browser.submit(above, "with:development"), "Bob Example");
  const below = await browser.submit(asked, "allow");
  expect(below.text).toContain("upper:development%3Abob");
  const tokens = await client.redeem(new URL((await browser.submit(below, "allow")).url));
  expect(await tryToken(lower.origin, tokens.access_token)).toBe(200);
  // The token of one is not one of the other.
  expect(await tryToken(upper.origin, tokens.access_token)).toBe(401);
});

test("B-026: no secret, code, token, address or verifier is in an error, on an error page or on the console", async () => {
  const logged: unknown[] = [];
  const spies = (["log", "info", "warn", "error", "debug"] as const).map((method) =>
    vi.spyOn(console, method).mockImplementation((...parts) => void logged.push(...parts)),
  );
  const provider = scriptedOidc();
  await using server = await startProtected({
    upstream: provider.upstream,
    fetch: provider.fetch,
    keys: ["operator-key-canary-operator-key-canary"],
    keepUpstreamTokens: true,
  });
  const browser = outside();
  const { client, page } = await decide(server, browser, provider);
  const tokens = await client.redeem(new URL((await browser.submit(page, "allow")).url));
  const pages: string[] = [];
  for (const answer of [
    () =>
      Response.json({ error: "invalid_grant", error_description: "code up-code-canary" }, { status: 400 }),
    () => Response.json({ access_token: "up-access-canary", token_type: 7 }),
    () =>
      Response.json({
        access_token: "up-access-canary",
        token_type: "Bearer",
        id_token: idToken({ nonce: "x" }),
      }),
    () => new Response("up-body-canary", { status: 500 }),
    () => Promise.reject(new TypeError("cannot reach https://login.example/token?code=up-code-canary")),
  ]) {
    provider.answers.push(["/token", answer]);
    pages.push((await decide(server, outside(), provider)).page.text);
    provider.answers.pop();
  }
  await client.token({ grant_type: "refresh_token", refresh_token: "unknown-refresh-canary" });
  await allowAll(
    outside(),
    client.authorizationUrl({ redirect_uri: "https://evil.example/?a=redirect-canary" }),
  );
  const everything = [...server.errors, ...logged].map((one) => dump(one)).join("\n") + pages.join("\n");
  const secrets = [
    "canary",
    tokens.access_token,
    tokens.refresh_token,
    client.verifier,
    ...provider.issued,
    ...browser.cookies.values(),
  ];
  expect(secrets.filter((secret) => everything.includes(secret))).toEqual([]);
  expect(server.errors.length).toBeGreaterThan(3);
  spies.forEach((spy) => spy.mockRestore());
});

/** An error with everything that hangs from it. */
function dump(value: unknown, depth = 0): string {
  if (typeof value !== "object" || value === null || depth > 5) {
    return String(value);
  }
  return Object.getOwnPropertyNames(value)
    .map((name) => `${name}=${dump((value as Record<string, unknown>)[name], depth + 1)}`)
    .join(" ");
}

test("a login that ends during the refresh of a kept token has the last word", async () => {
  const provider = scriptedOidc();
  provider.expiresIn = 30;
  await using server = await startProtected({
    upstream: provider.upstream,
    fetch: provider.fetch,
    keepUpstreamTokens: true,
  });
  await decide(server, outside(), provider);
  const auth = { principal: "p", issuer: server.origin, subject: "test:alice-1" };
  const answer = provider.answers.findLast(([end]) => end === "/token")?.[1];
  let ofLogin = "";
  provider.answers.push([
    "/token",
    async (asked) => {
      if (asked.form.get("grant_type") === "refresh_token") {
        provider.expiresIn = 3600;
        await decide(server, outside(), provider);
        ofLogin = provider.issued.findLast((token) => token.startsWith("up-access")) ?? "";
      }
      return answer?.(asked) ?? new Response("", { status: 500 });
    },
  ]);
  await server.broker.upstreamToken(auth);
  expect(await server.broker.upstreamToken(auth)).toBe(ofLogin);
});

test("the tokens of a login without a program end with the session, and later if a program is allowed", async () => {
  const provider = scriptedOidc();
  await using server = await startProtected({
    upstream: provider.upstream,
    fetch: provider.fetch,
    keepUpstreamTokens: true,
    limits: { sessionTtlMs: 60_000 },
  });
  const auth = { principal: "p", issuer: server.origin, subject: "test:alice-1" };
  const lateToken = async (): Promise<string> => {
    const now = Date.now();
    const clock = vi.spyOn(Date, "now").mockImplementation(() => now + 120_000);
    try {
      return await server.broker.upstreamToken(auth).then(
        () => "kept",
        ({ code }: { code: string }) => code,
      );
    } finally {
      clock.mockRestore();
    }
  };
  const browser = outside();
  const { page } = await decide(server, browser, provider);
  expect(await server.broker.upstreamToken(auth)).toBeTypeOf("string");
  expect(await lateToken()).toBe("NEEDS_LOGIN");
  await browser.submit(page, "allow");
  expect(await lateToken()).toBe("kept");
});
