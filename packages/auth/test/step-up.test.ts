import { expect, test } from "vitest";

import { isAuthError } from "../src/client.ts";
import { passing, setUp } from "./setup.ts";

/** Requires the scopes that the body of a request names. */
const byBody = {
  requires: ({ body }: { readonly body: string }) => body.split(" ").filter((scope) => /^\w+$/.test(scope)),
};

const askedOf = (servers: ReturnType<typeof setUp>["servers"]): (string | null)[] =>
  servers.of("authorize").map(({ parameters }) => parameters.get("scope"));

test("a 403 with insufficient_scope causes a login with the union of scopes, and no refresh (R-757)", async () => {
  const { servers, provider } = setUp({ ...byBody, scope: "basic" });
  await servers.call(provider);
  expect((await servers.call(provider, { body: "write" })).status).toBe(200);
  expect(askedOf(servers)).toEqual(["basic", "basic write"]);
  expect(servers.of("token").map(({ parameters }) => parameters.get("grant_type"))).toEqual([
    "authorization_code",
    "authorization_code",
  ]);
});

test("parallel operations that lack the same scope share one login", async () => {
  const { servers, provider } = setUp({ ...byBody, scope: "basic" });
  await servers.call(provider);
  const all = await Promise.all(Array.from({ length: 16 }, () => servers.call(provider, { body: "write" })));
  expect(new Set(all.map(({ status }) => status))).toEqual(new Set([200]));
  expect(askedOf(servers)).toHaveLength(2);
});

test("without interaction a 403 fails with the required scopes, and login() requests them", async () => {
  const { servers, provider } = setUp({ ...byBody, scope: "basic" }, { interactive: "onLogin" });
  await provider.login();
  await expect(servers.call(provider, { body: "write" })).rejects.toMatchObject({
    code: "NEEDS_USER",
    status: 401,
    required: ["write"],
    message: expect.stringContaining("further scopes: write."),
  });
  await provider.login();
  expect((await servers.call(provider, { body: "write" })).status).toBe(200);
});

test("a scope that the authorization server withheld without saying so is named, and no other login is advised", async () => {
  const { servers, provider } = setUp(
    { ...byBody, scope: "basic write", grants: (scopes) => scopes.filter((scope) => scope !== "write") },
    { interactive: "onLogin" },
  );
  servers.script.next("token", { edit: (json) => ({ ...json, scope: undefined }) });
  await provider.login({ scopes: ["basic", "write"] });
  await expect(servers.call(provider, { body: "write" })).rejects.toMatchObject({
    code: "SCOPE_DENIED",
    required: ["write"],
    message: expect.stringContaining(
      "The last login requested the scopes that the operation requires (write)",
    ),
  });
});

test("a 403 without a challenge for scopes is an answer and causes nothing", async () => {
  const { servers, provider } = setUp();
  await servers.call(provider);
  servers.script.next("mcp", {
    status: 403,
    body: {},
    headers: { "www-authenticate": 'Bearer error="access_denied"' },
  });
  expect((await servers.call(provider)).status).toBe(403);
  expect(servers.of("authorize")).toHaveLength(1);
});

test("A-043: endless demands for further scopes cause at most three authorizations", async () => {
  let demands = 0;
  const { servers, provider } = setUp({ requires: () => [`scope${++demands}`] });
  for (let call = 0; call < 10; call++) {
    const outcome: unknown = await servers.call(provider).catch((error: unknown) => error);
    expect(isAuthError(outcome) ? outcome.code : outcome).not.toEqual({ status: 200, body: "ok" });
  }
  expect(servers.of("authorize").length).toBeGreaterThanOrEqual(1);
  expect(servers.of("authorize").length).toBeLessThanOrEqual(3);
});

test("one request causes at most two authorizations, whatever scopes it turns out to require", async () => {
  let demands = 0;
  const { servers, provider } = setUp({ requires: () => [`scope${++demands}`] });
  servers.script.next("mcp", { status: 200, body: "fine" });
  await provider.login();
  await servers.call(provider);
  await expect(servers.call(provider)).rejects.toMatchObject({ code: "SCOPE_DENIED", status: 403 });
  expect(servers.of("authorize")).toHaveLength(3);
});

test("requests for scopes that were granted and do not suffice cause at most two authorizations in ten minutes", async () => {
  const { servers, provider, clock } = setUp();
  await provider.login();
  servers.script.always("mcp", {
    status: 403,
    body: {},
    headers: { "www-authenticate": 'Bearer error="insufficient_scope", scope="b a"' },
  });
  for (let call = 0; call < 3; call++) {
    await expect(servers.call(provider)).rejects.toMatchObject({
      code: "SCOPE_DENIED",
      required: ["b", "a"],
    });
  }
  expect(servers.of("authorize")).toHaveLength(3);
  clock.advance(600_001);
  await expect(servers.call(provider)).rejects.toMatchObject({ code: "SCOPE_DENIED" });
  expect(servers.of("authorize")).toHaveLength(5);
});

test("the scopes of a long life with one server do not make a login impossible", async () => {
  const { servers, provider, clock } = setUp({ ...byBody, scope: "basic" });
  for (let month = 0; month < 40; month++) {
    const scopes = Array.from({ length: 10 }, (_, index) => `month${month}_${index}`).join(" ");
    expect((await servers.call(provider, { body: scopes })).status).toBe(200);
    clock.advance(600_001);
  }
  await provider.login({ scopes: ["last"] });
  const asked = askedOf(servers).map((scope) => scope?.split(" ") ?? []);
  expect(asked.at(-1)).toContain("last");
  expect(Math.max(...asked.map(({ length }) => length))).toBeLessThanOrEqual(102);
});

test("A-042: scopes that were not granted are requested only after a 403, and the denial is remembered for ten minutes", async () => {
  const { servers, provider, clock } = setUp({
    ...byBody,
    scope: "basic write",
    grants: (scopes) => scopes.filter((scope) => scope !== "write"),
  });
  expect((await servers.call(provider)).status).toBe(200);
  expect(servers.of("authorize")).toHaveLength(1);
  const message = expect.stringContaining("requires: write.") as string;
  const denied = { code: "SCOPE_DENIED", status: 403, required: ["write"], granted: ["basic"], message };
  await expect(servers.call(provider, { body: "write" })).rejects.toMatchObject(denied);
  await expect(servers.call(provider, { body: "write" })).rejects.toMatchObject(denied);
  expect(servers.of("authorize")).toHaveLength(2);
  clock.advance(600_001);
  await expect(servers.call(provider, { body: "write" })).rejects.toMatchObject({ code: "SCOPE_DENIED" });
  expect(servers.of("authorize")).toHaveLength(3);
});

test("A-041: scopes beyond the requested ones are recorded as granted and are not requested later", async () => {
  const { servers, provider } = setUp({
    ...byBody,
    scope: "basic",
    grants: (scopes) => [...scopes, "admin"],
  });
  await servers.call(provider);
  expect(provider.status.scopes).toEqual(["basic", "admin"]);
  await servers.call(provider, { body: "write" });
  expect(askedOf(servers)).toEqual(["basic", "basic write"]);
});

test.each([
  ["ten thousand scopes", Array.from({ length: 10_000 }, (_, index) => `s${index}`).join(" ")],
  ["more than a hundred scopes", Array.from({ length: 101 }, (_, index) => `s${index}`).join(" ")],
  ["a scope of 300 characters", "s".repeat(300)],
  ["quotes", 'a"b'],
])("A-044: a challenge with %s is not followed", async (_, scope) => {
  const { servers, provider } = setUp({ scope });
  expect((await servers.call(provider)).status).toBe(200);
  expect(askedOf(servers)).toEqual([null]);
});

test("A-044: offline_access in a challenge is dropped (R-731, R-758)", async () => {
  const { servers, provider } = setUp({ scope: "basic offline_access" });
  await servers.call(provider);
  expect(askedOf(servers)).toEqual(["basic"]);
});

test("A-077: acr_values and max_age are passed on, and values that are too long are not", async () => {
  const { servers, provider } = setUp();
  await servers.call(provider);
  const challenge = (acr: string): Record<string, string> => ({
    "www-authenticate": `Bearer error="insufficient_user_authentication", acr_values="${acr}", max_age="5"`,
  });
  servers.script.next("mcp", { status: 401, body: {}, headers: challenge("gold") });
  expect((await servers.call(provider)).status).toBe(200);
  expect(servers.of("authorize")[1]?.parameters.get("acr_values")).toBe("gold");
  expect(servers.of("authorize")[1]?.parameters.get("max_age")).toBe("5");
  servers.script.next("mcp", { status: 401, body: {}, headers: challenge("g".repeat(65_536)) });
  await servers.call(provider).catch(() => {});
  servers.script.next("mcp", { status: 401, body: {}, headers: challenge("g".repeat(2000)) });
  await servers.call(provider).catch(() => {});
  expect(
    servers.of("authorize").some(({ parameters }) => (parameters.get("acr_values") ?? "").length > 1024),
  ).toBe(false);
});

test("a stronger login that is demanded while a login looks for its server is part of that login", async () => {
  const { servers, provider, clock } = setUp();
  const challenge = `Bearer error="insufficient_user_authentication", acr_values="gold"`;
  servers.script.next("resource-metadata", { delayMs: 1000 });
  const first = provider.login();
  await expect.poll(() => servers.of("resource-metadata").length).toBe(1);
  servers.script.next("mcp", { status: 401, body: {}, headers: { "www-authenticate": challenge } });
  const second = servers.call(provider).catch(() => {});
  await expect.poll(() => servers.of("mcp").length).toBe(1);
  await passing(clock, Promise.all([first, second]));
  expect(servers.of("authorize")[0]?.parameters.get("acr_values")).toBe("gold");
});

test("scopes that were not granted to one operation keep no other operation from a login", async () => {
  const { servers, provider } = setUp({
    ...byBody,
    scope: "basic",
    grants: (scopes) => scopes.filter((scope) => scope !== "admin"),
    refreshTokens: false,
  });
  expect((await servers.call(provider)).status).toBe(200);
  await expect(servers.call(provider, { body: "admin" })).rejects.toMatchObject({ code: "SCOPE_DENIED" });
  expect((await servers.call(provider, { body: "write" })).status).toBe(200);
  const denied = { code: "SCOPE_DENIED", required: ["admin"] };
  await expect(servers.call(provider, { body: "admin" })).rejects.toMatchObject(denied);
  expect(servers.of("authorize")).toHaveLength(3);
});

test("scopes that were not granted keep no request from a login after its tokens have expired", async () => {
  const { servers, provider } = setUp({
    ...byBody,
    scope: "basic",
    grants: (scopes) => scopes.filter((scope) => scope !== "admin"),
    refreshTokens: false,
  });
  await expect(servers.call(provider, { body: "admin" })).rejects.toMatchObject({ code: "SCOPE_DENIED" });
  expect((await servers.call(provider)).status).toBe(200);
  servers.tokens.expireAll();
  expect((await servers.call(provider)).status).toBe(200);
});
