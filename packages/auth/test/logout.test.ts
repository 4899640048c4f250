import { expect, test } from "vitest";

import { authorizationCode, createOAuth, memoryStore, type AuthStore } from "../src/client.ts";
import { headersOf, passing, received, setUp } from "./setup.ts";

const hour = 3_600_000;

test("a logout while another process refreshes keeps the tokens away, here and there, and revokes them", async () => {
  const store = memoryStore();
  // The processes share the values and not the lock, as after a lease that was lost.
  const shared = (): AuthStore => ({ get: store.get, put: store.put, delete: store.delete });
  const { servers, provider, options, clock } = setUp({}, { store: shared(), interactive: "onLogin" });
  await provider.login();
  const other = createOAuth({ ...options, store: shared() });
  clock.advance(hour + 1);
  servers.script.next("token", { delayMs: 3000 });
  const refreshing = received(servers, "token");
  const call = servers.call(other).catch((error: unknown) => error);
  await passing(clock, refreshing, 0);
  await provider.logout();
  expect(await passing(clock, call)).toMatchObject({ code: "NEEDS_USER" });
  for (const each of [provider, other]) {
    expect(await headersOf(each, servers.server)).toBeUndefined();
  }
  await passing(clock, new Promise((resolve) => clock.setTimeout(() => resolve(undefined), 1000, true)));
  // The refresh token and the access token of the login, then those of the refresh.
  expect(servers.of("revoke")).toHaveLength(4);
});

test("a logout while the code of a login is being redeemed ends the login", async () => {
  const { servers, provider, clock } = setUp({}, { interactive: "onLogin" });
  servers.script.next("token", { delayMs: 3000 });
  const redeeming = received(servers, "token");
  const login = provider.login().catch((error: unknown) => error);
  await passing(clock, redeeming, 0);
  await passing(clock, provider.logout());
  expect(await passing(clock, login)).toMatchObject({ code: "NEEDS_USER" });
  expect(await headersOf(provider, servers.server)).toBeUndefined();
  expect(provider.status.state).not.toBe("authorized");
});

test("a logout while another process redeems the code of a further login ends that login too", async () => {
  const store = memoryStore();
  const { servers, provider, options, clock } = setUp({}, { store, interactive: "onLogin" });
  await provider.login();
  const other = createOAuth(options);
  servers.script.next("token", { delayMs: 3000 });
  const redeeming = received(servers, "token");
  const login = other.login({ scopes: ["write"] }).catch((error: unknown) => error);
  await passing(clock, redeeming, 0);
  await provider.logout();
  expect(await passing(clock, login)).toMatchObject({ code: "NEEDS_USER" });
  expect(await headersOf(other, servers.server)).toBeUndefined();
});

test("a login after a logout of another process succeeds", async () => {
  const store = memoryStore();
  const { servers, provider, options } = setUp({}, { store, interactive: "onLogin" });
  await provider.login();
  const other = createOAuth(options);
  expect((await servers.call(other)).status).toBe(200);
  await provider.logout();
  await other.login();
  expect((await servers.call(other)).status).toBe(200);
  expect((await servers.call(provider)).status).toBe(200);
});

test("tokens whose predecessor another process has found rejected are kept", async () => {
  const store = memoryStore();
  const shared = (): AuthStore => ({ get: store.get, put: store.put, delete: store.delete });
  const { servers, provider, options, clock } = setUp({}, { store: shared(), interactive: "onLogin" });
  await provider.login();
  const late = createOAuth({ ...options, store: shared(), limits: { tokenTimeoutMs: 60_000 } });
  clock.advance(hour + 1);
  // The process is suspended after the server has responded, and longer than its lease.
  servers.script.next("token", { delayMs: 20_000 }, { status: 400, body: { error: "invalid_grant" } });
  const refreshing = received(servers, "token");
  const call = servers.call(late);
  await passing(clock, refreshing, 0);
  clock.advance(17_001);
  await expect(servers.call(provider)).rejects.toMatchObject({ code: "NEEDS_USER" });
  expect((await passing(clock, call)).status).toBe(200);
  expect((await servers.call(provider)).status).toBe(200);
  expect(servers.of("authorize")).toHaveLength(1);
});

test("a logout that forgets the client warns if its registration cannot be deleted, and ends all logins", async () => {
  const warnings: string[] = [];
  const { servers, provider } = setUp(
    {},
    {
      interactive: "onLogin",
      grant: authorizationCode({ redirectUri: "https://app.example/callback" }),
      onEvent: (event) => event.type === "warning" && warnings.push(event.message),
    },
  );
  const uri = { registration_client_uri: "http://as.example/c", registration_access_token: "t" };
  servers.script.next("register", { edit: (json) => ({ ...json, ...uri }) });
  await provider.finish(await servers.visit((await provider.begin()).url));
  const callback = await servers.visit((await provider.begin()).url);
  await provider.logout({ forget: true });
  expect(warnings).toEqual(["The registration could not be deleted."]);
  await expect(provider.finish(callback)).rejects.toMatchObject({ code: "RESPONSE_INVALID" });
});

test("another process cannot finish a login of a provider that is logging out", async () => {
  const { servers, provider, options, clock } = setUp(
    {},
    {
      store: memoryStore(),
      interactive: "onLogin",
      grant: authorizationCode({ redirectUri: "https://app.example/callback" }),
    },
  );
  await provider.finish(await servers.visit((await provider.begin()).url));
  const callback = await servers.visit((await provider.begin()).url);
  servers.script.next("revoke", { delayMs: 3000 });
  const revoking = received(servers, "revoke");
  const logout = provider.logout();
  await revoking;
  await expect(createOAuth(options).finish(callback)).rejects.toMatchObject({ code: "RESPONSE_INVALID" });
  await passing(clock, logout);
});
