import { expect, test } from "vitest";

import { createOAuth, isAuthError, memoryStore, type AuthStore } from "../src/client.ts";
import { passing, received, setUp } from "./setup.ts";

const hour = 3_600_000;

/** A provider that is logged in, and whose access token has expired. */
async function expired(...args: Parameters<typeof setUp>) {
  const all = setUp(...args);
  await all.provider.login();
  all.clock.advance(hour + 1);
  return { ...all, tokensBefore: all.servers.of("token").length };
}

const calls = (count: number, call: () => Promise<{ status: number }>): Promise<number[]> =>
  Promise.all(Array.from({ length: count }, () => call().then(({ status }) => status)));

test.each([2, 64])(
  "A-033: %d calls with an expired token make one token request and all succeed",
  async (count) => {
    const { servers, provider, tokensBefore } = await expired();
    const statuses = await calls(count, () => servers.call(provider));
    expect(statuses).toEqual(Array.from({ length: count }, () => 200));
    expect(servers.of("token")).toHaveLength(tokensBefore + 1);
    expect(servers.of("authorize")).toHaveLength(1);
    expect(servers.tokens.reuses).toBe(0);
  },
);

test("A-033: 64 calls whose token the server rejects make one token request and all succeed", async () => {
  const { servers, provider } = setUp();
  await servers.call(provider);
  servers.tokens.expireAll();
  expect(new Set(await calls(64, () => servers.call(provider)))).toEqual(new Set([200]));
  expect(servers.of("token")).toHaveLength(2);
  expect(servers.of("authorize")).toHaveLength(1);
});

test("A-034: eight providers with one store make one token request and all succeed", async () => {
  const store = memoryStore();
  const { servers, provider, options, clock } = setUp({}, { store });
  await servers.call(provider);
  clock.advance(hour + 1);
  const providers = Array.from({ length: 8 }, () => createOAuth({ ...options, interactive: "onLogin" }));
  const statuses = await Promise.all(providers.map(async (each) => (await servers.call(each)).status));
  expect(statuses).toEqual(Array.from({ length: 8 }, () => 200));
  expect(servers.of("token")).toHaveLength(2);
  expect(servers.tokens.reuses).toBe(0);
});

test("A-034: tokens that another process has stored are used at once, although its lock is still held", async () => {
  const store = memoryStore();
  const { servers, provider, options, clock } = setUp({}, { store });
  await servers.call(provider);
  clock.advance(hour + 1);
  let wasAsked = (): void => {};
  const asked = new Promise<void>((resolve) => {
    wasAsked = resolve;
  });
  const locked: AuthStore = {
    ...store,
    lock: (_, signal) =>
      new Promise((__, reject) => {
        signal.addEventListener("abort", () => reject(signal.reason as Error));
        wasAsked();
      }),
  };
  const waiting = createOAuth({ ...options, store: locked, interactive: "onLogin" });
  const waits = servers.call(waiting);
  await asked;
  const at = clock.now();
  expect((await servers.call(provider)).status).toBe(200);
  expect((await passing(clock, waits)).status).toBe(200);
  expect(clock.now() - at).toBeLessThanOrEqual(1000);
  expect(servers.of("token")).toHaveLength(2);
  // The next renewal waits for the lock again, and no longer than it did before.
  clock.advance(hour + 1);
  await expect(passing(clock, servers.call(waiting))).rejects.toMatchObject({ code: "AUTH_TEMPORARY" });
});

test("a caller that leaves does not cancel the refresh that others wait for", async () => {
  const { servers, provider, clock } = await expired();
  servers.script.next("token", { delayMs: 1000 });
  const leaving = new AbortController();
  const left = servers.call(provider, { signal: leaving.signal });
  const stays = servers.call(provider);
  leaving.abort(new Error("left"));
  await expect(passing(clock, left)).rejects.toThrow("left");
  expect((await passing(clock, stays)).status).toBe(200);
  expect(servers.of("token")).toHaveLength(2);
});

test("tokens are refreshed in the background before they expire, and no request waits for it", async () => {
  const { servers, provider, clock } = setUp();
  await servers.call(provider);
  clock.advance(hour - 59_000);
  servers.script.next("token", { delayMs: 5000 });
  expect((await servers.call(provider)).status).toBe(200);
  await passing(clock, new Promise((resolve) => provider.changed(() => resolve(undefined))));
  expect(provider.status.generation).toBe(2);
  expect(servers.of("authorize")).toHaveLength(1);
});

test("a refresh sends the recorded resource and no scope, and keeps a refresh token that is not replaced (R-750)", async () => {
  const { servers, provider, clock } = await expired({ rotates: false, scope: "notes" });
  servers.script.next("token", { edit: (json) => ({ ...json, refresh_token: null }) });
  await servers.call(provider);
  const [, refresh] = servers.of("token");
  expect(refresh?.parameters.get("resource")).toBe(servers.server);
  expect(refresh?.parameters.has("scope")).toBe(false);
  clock.advance(hour + 1);
  expect((await servers.call(provider)).status).toBe(200);
  expect(servers.of("authorize")).toHaveLength(1);
});

test("A-039: an outage of an hour causes no login, no deletion and at most a request a minute", async () => {
  const { servers, provider, clock } = await expired();
  servers.script.always("token", { status: 503, body: "down" });
  for (let second = 0; second < 3600; second += 10) {
    const error: unknown = await servers.call(provider).catch((reason: unknown) => reason);
    expect(isAuthError(error, "AUTH_TEMPORARY")).toBe(true);
    clock.advance(10_000);
  }
  expect(servers.of("token").length - 1).toBeLessThanOrEqual(66);
  const late = servers
    .of("token")
    .filter(({ at }) => at > hour + 300_000)
    .map(({ at }) => at);
  expect(late.every((at, index) => at - (late[index - 1] ?? -Infinity) >= 60_000)).toBe(true);
  servers.script.always("token", undefined);
  clock.advance(200_000);
  expect((await servers.call(provider)).status).toBe(200);
  expect(servers.of("authorize")).toHaveLength(1);
});

test("Retry-After of the authorization server is honored", async () => {
  const { servers, provider, clock } = await expired();
  servers.script.next("token", { status: 429, body: {}, headers: { "retry-after": "300" } });
  await expect(servers.call(provider)).rejects.toMatchObject({
    code: "AUTH_TEMPORARY",
    retryAfterMs: 300_000,
  });
  clock.advance(299_000);
  await expect(servers.call(provider)).rejects.toMatchObject({ code: "AUTH_TEMPORARY", retryAfterMs: 1000 });
  expect(servers.of("token")).toHaveLength(2);
  clock.advance(2000);
  expect((await servers.call(provider)).status).toBe(200);
});

test.each([
  ["HTML instead of JSON", { body: "<html>" }],
  ["a response without access_token", { body: { token_type: "Bearer" } }],
  ["an error with status 503", { status: 503, body: { error: "temporarily_unavailable" } }],
  ["an error of configuration", { status: 400, body: { error: "invalid_target" } }],
  ["an error of scopes", { status: 400, body: { error: "invalid_scope" } }],
  ["a rejected client", { status: 401, body: { error: "invalid_client" } }],
])("A-040: %s keeps the tokens and the registration, and is typed", async (_, reaction) => {
  const { servers, provider, clock } = await expired();
  servers.script.next("token", reaction);
  const error: unknown = await servers.call(provider).catch((reason: unknown) => reason);
  expect(isAuthError(error)).toBe(true);
  clock.advance(120_000);
  expect((await servers.call(provider)).status).toBe(200);
  expect(servers.of("register")).toHaveLength(1);
  expect(servers.of("authorize")).toHaveLength(1);
});

test("A-040: an error with status 200 is an error", async () => {
  const { servers, provider } = await expired({}, { interactive: "onLogin" });
  servers.script.next("token", { status: 200, body: { error: "invalid_target" } });
  await expect(servers.call(provider)).rejects.toMatchObject({ code: "TOKEN_INVALID" });
});

test.each([
  ["GitHub", "bad_refresh_token"],
  ["Slack", "invalid_refresh_token"],
])("a refresh token that %s rejects in its own words ends the login", async (_, error) => {
  const { servers, provider } = await expired({}, { interactive: "onLogin" });
  servers.script.next("token", { status: 200, body: { error } });
  await expect(servers.call(provider)).rejects.toMatchObject({ code: "NEEDS_USER" });
  expect(provider.status.state).toBe("needs-user");
  await provider.login();
  expect((await servers.call(provider)).status).toBe(200);
});

test("a refused resource is to be corrected at the server, before the parameter is given up", async () => {
  const { servers, provider } = setUp();
  servers.script.next("token", { status: 400, body: { error: "invalid_target" } });
  await expect(provider.login()).rejects.toMatchObject({
    code: "TOKEN_INVALID",
    message: expect.stringMatching(/Check resource of createGuard.* If this server .* "omit"/),
  });
});

test("A-037: a refused refresh token does not delete the tokens that another process has stored meanwhile", async () => {
  const store = memoryStore();
  const { servers, provider, options, clock } = setUp({}, { store });
  await servers.call(provider);
  clock.advance(hour + 1);
  const unlocked: AuthStore = { get: store.get, put: store.put, delete: store.delete };
  const other = createOAuth({ ...options, store: unlocked });
  servers.script.next("token", { delayMs: 1000, status: 400, body: { error: "invalid_grant" } });
  const refreshing = received(servers, "token");
  const slow = servers.call(createOAuth({ ...options, store: unlocked, interactive: "onLogin" }));
  await refreshing;
  await passing(clock, other.login());
  expect((await passing(clock, slow)).status).toBe(200);
  expect((await servers.call(other)).status).toBe(200);
  await provider.close();
});

test("A-038: one rejection of the client keeps its registration; the second deletes it with its tokens", async () => {
  const { servers, provider, clock } = await expired({}, { interactive: "onLogin" });
  servers.script.always("token", { status: 401, body: { error: "invalid_client" } });
  await expect(servers.call(provider)).rejects.toMatchObject({ code: "AUTH_TEMPORARY", retryAfterMs: 5000 });
  clock.advance(6000);
  await expect(servers.call(provider)).rejects.toMatchObject({ code: "NEEDS_USER" });
  servers.script.always("token", undefined);
  await provider.login();
  expect(servers.of("register")).toHaveLength(2);
});

test("a lost token response is asked for once more, and a grace period of the server saves the login", async () => {
  const { servers, provider, clock } = await expired({ rotates: false });
  servers.script.next("token", { drop: "response" });
  expect((await passing(clock, servers.call(provider))).status).toBe(200);
  expect(servers.of("token")).toHaveLength(3);
});

test("a token request that certainly was not sent is repeated", async () => {
  const { servers, provider } = await expired();
  servers.script.next("token", { drop: "request" });
  expect((await servers.call(provider)).status).toBe(200);
  expect(servers.tokens.reuses).toBe(0);
});

test("A-035: what a process presented that died before it could write is left alone for ten seconds", async () => {
  const store = memoryStore();
  const { servers, provider, options, clock } = setUp({ rotates: false }, { store });
  await servers.call(provider);
  clock.advance(hour + 1);
  // The process dies while its request is in flight.
  servers.script.next("token", { delayMs: 1e9 });
  servers
    .call(createOAuth({ ...options, store: { get: store.get, put: store.put, delete: store.delete } }))
    .catch(() => {});
  while (servers.of("token").length < 2) {
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  const at = clock.now();
  expect((await passing(clock, servers.call(provider))).status).toBe(200);
  expect(servers.of("token").at(-1)?.at ?? 0).toBeGreaterThanOrEqual(at + 10_000);
});

test("new tokens that cannot be written stay in memory, with a warning, and the old ones are not used again", async () => {
  const store = memoryStore();
  let isFull = false;
  const failing: AuthStore = {
    ...store,
    put: (key, value, options) =>
      isFull && !value.includes("presentedAt")
        ? Promise.reject(new Error("full"))
        : store.put(key, value, options),
  };
  const { servers, provider, clock, events } = setUp({}, { store: failing });
  await servers.call(provider);
  isFull = true;
  for (let round = 0; round < 3; round++) {
    clock.advance(hour + 1);
    expect((await servers.call(provider)).status).toBe(200);
  }
  expect(servers.tokens.reuses).toBe(0);
  expect(servers.of("authorize")).toHaveLength(1);
  expect(events.filter(({ type }) => type === "warning").length).toBeGreaterThan(0);
  expect(provider.status.error).toMatchObject({ code: "AUTH_STORE_FAILED" });
});

test("A-072: a date that jumps by an hour causes at most one refresh, and no loop", async () => {
  for (const jump of [hour, -hour]) {
    const store = memoryStore();
    const { servers, provider, options, clock } = setUp({}, { store });
    await servers.call(provider);
    Object.assign(clock, { offset: clock.offset + jump });
    const other = createOAuth(options);
    for (let call = 0; call < 5; call++) {
      expect((await servers.call(provider)).status).toBe(200);
      expect((await servers.call(other)).status).toBe(200);
    }
    expect(servers.of("token").length).toBeLessThanOrEqual(2);
  }
});

test("A-072: after a sleep of eight hours there is one refresh", async () => {
  const { servers, provider, clock } = setUp();
  await servers.call(provider);
  clock.advance(8 * hour);
  await calls(5, () => servers.call(provider));
  expect(servers.of("token")).toHaveLength(2);
});

test("close waits for a refresh in flight, so that its tokens are not lost", async () => {
  const store = memoryStore();
  const { servers, provider, options, clock } = setUp({}, { store });
  await servers.call(provider);
  clock.advance(hour + 1);
  servers.script.next("token", { delayMs: 1000 });
  const call = servers.call(provider).catch(() => {});
  while (servers.of("token").length < 2) {
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  await passing(clock, provider.close());
  await passing(clock, call);
  expect((await servers.call(createOAuth(options))).status).toBe(200);
  expect(servers.of("token")).toHaveLength(2);
});

test("an authorization server that asks for a year of patience is asked again after an hour", async () => {
  const { servers, provider, clock } = await expired({}, { interactive: "onLogin" });
  servers.script.next("token", { status: 503, body: {}, headers: { "retry-after": "31536000" } });
  await expect(servers.call(provider)).rejects.toMatchObject({
    code: "AUTH_TEMPORARY",
    retryAfterMs: hour,
  });
  clock.advance(hour + 1);
  expect((await servers.call(provider)).status).toBe(200);
});
