import { expect, test } from "vitest";

import { createOAuth, isAuthError, memoryStore, type AuthStore } from "../src/client.ts";
import { headersOf, openPromise, passing, received, setUp, turns } from "./setup.ts";

const hour = 3_600_000;

test("refreshed tokens are kept although another process has begun to present the same refresh token", async () => {
  const store = memoryStore();
  let tokens: { readonly key: string; readonly value: string } | undefined;
  const { servers, provider, options, clock } = setUp(
    {},
    {
      store: {
        ...store,
        put(key, value, conditions) {
          tokens = key.startsWith("tokens.") ? { key, value } : tokens;
          return store.put(key, value, conditions);
        },
      },
    },
  );
  await provider.login();
  clock.advance(hour + 1);
  servers.script.next("token", {
    edit: (json) => {
      // What a process writes that took over the lock of this one.
      void store.put(tokens?.key ?? "", tokens?.value ?? "");
      return json;
    },
  });
  expect((await servers.call(provider)).status).toBe(200);
  const other = createOAuth({ ...options, interactive: "onLogin" });
  expect((await servers.call(other)).status).toBe(200);
  expect(servers.of("token")).toHaveLength(2);
  expect(servers.tokens.reuses).toBe(0);
  expect(servers.of("authorize")).toHaveLength(1);
});

test("a request during a logout cannot bring the tokens back", async () => {
  const { servers, provider, clock } = setUp({}, { interactive: "onLogin" });
  await provider.login();
  clock.advance(hour + 1);
  servers.script.next("revoke", { delayMs: 3000 });
  const logout = provider.logout();
  const call = new Promise<void>((resolve) => {
    const start = (): void => {
      servers.call(provider).then(
        () => resolve(),
        () => resolve(),
      );
    };
    clock.setTimeout(start, 1000, true);
  });
  await passing(clock, Promise.all([logout, call]));
  expect(await headersOf(provider, servers.server)).toBeUndefined();
  expect(servers.of("token")).toHaveLength(1);
});

test("a read of the store that began before a login does not undo it", async () => {
  const store = memoryStore();
  let release = (): void => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  let isFirst = true;
  const slow: AuthStore = {
    ...store,
    async get(key) {
      const found = await store.get(key);
      if (key.startsWith("tokens.") && isFirst) {
        isFirst = false;
        await held;
      }
      return found;
    },
  };
  const { servers, provider } = setUp({}, { store: slow });
  const early = headersOf(provider, servers.server);
  await provider.login();
  release();
  expect(await early).toMatchObject({ authorization: expect.any(String) as string });
  expect(provider.status.state).toBe("authorized");
});

test("a read of the store that began before a logout does not undo it, even if the store fails then", async () => {
  const store = memoryStore();
  const [reading, mayRead] = [openPromise(), openPromise()];
  const { servers, provider, options } = setUp({}, { store, interactive: "onLogin" });
  await provider.login();
  let isFirst = true;
  const slow: AuthStore = {
    ...store,
    async get(key) {
      const found = await store.get(key);
      if (!isFirst) {
        throw new Error("disk");
      }
      isFirst = false;
      reading.resolve();
      await mayRead.promise;
      return found;
    },
  };
  const other = createOAuth({ ...options, store: slow });
  const early = headersOf(other, servers.server);
  await reading.promise;
  await expect(other.logout()).rejects.toMatchObject({ code: "AUTH_STORE_FAILED" });
  mayRead.resolve();
  expect(await early).toBeUndefined();
});

test("a request that was refused before a login ended causes no second login", async () => {
  let onLogin = (): void => {};
  const { servers, provider, clock } = setUp(
    {},
    {
      onEvent: (event) => {
        if (event.type === "status" && event.status.state === "authorizing") {
          onLogin();
        }
      },
    },
  );
  await servers.call(provider);
  servers.tokens.expireAll();
  servers.script.next("token", { status: 400, body: { error: "invalid_grant" } });
  servers.script.next("resource-metadata", {}, { delayMs: 5000 });
  servers.script.next("authorize", { delayMs: 1000 });
  let second: Promise<{ status: number }> | undefined;
  onLogin = () => {
    second ??= servers.call(provider);
  };
  expect((await passing(clock, servers.call(provider))).status).toBe(200);
  expect(second).toBeDefined();
  expect((await passing(clock, second as Promise<{ status: number }>)).status).toBe(200);
  expect(servers.of("authorize")).toHaveLength(2);
});

test("a server that demands ever other scopes does not make the next login fail", async () => {
  const { servers, provider } = setUp({}, { interactive: "onLogin" });
  await provider.login();
  for (let round = 0; round < 40; round++) {
    const scope = Array.from({ length: 50 }, (_, index) => `scope-${round}-${index}`).join(" ");
    servers.script.next("mcp", {
      status: 403,
      headers: { "www-authenticate": `Bearer error="insufficient_scope", scope="${scope}"` },
    });
    await expect(servers.call(provider)).rejects.toMatchObject({ code: "NEEDS_USER" });
  }
  await provider.login();
  expect(servers.of("authorize").at(-1)?.parameters.get("scope")?.split(" ").length).toBeLessThan(101);
});

test("two rejections of the client with a success between them do not delete the login", async () => {
  const { servers, provider, clock } = setUp({}, { interactive: "onLogin" });
  await provider.login();
  const rejection = { status: 401, body: { error: "invalid_client" } };
  for (let month = 0; month < 3; month++) {
    clock.advance(30 * 24 * hour);
    servers.script.next("token", rejection);
    const failed: unknown = await servers.call(provider).catch((error: unknown) => error);
    expect(isAuthError(failed, "AUTH_TEMPORARY")).toBe(true);
    clock.advance(10_000);
    expect((await servers.call(provider)).status).toBe(200);
  }
  expect(servers.of("register")).toHaveLength(1);
});

test("an address guard that returns false refuses the address", async () => {
  const guard = (() => false) as unknown as () => void;
  const { servers, provider } = setUp({}, { guard });
  await expect(provider.login()).rejects.toMatchObject({ code: "ADDRESS_REFUSED" });
  expect(servers.requests).toHaveLength(0);
});

test("a renewal ends although other processes change the stored tokens all the time", async () => {
  const store = memoryStore();
  const { servers, provider, options, clock } = setUp({}, { store, interactive: "onLogin" });
  await provider.login();
  clock.advance(hour + 1);
  let writes = 0;
  const busy = createOAuth({
    ...options,
    store: {
      ...store,
      // A limit for the case of failure.
      put: () => (writes++ < 1000 ? Promise.resolve("conflict") : Promise.reject(new Error("enough"))),
    },
  });
  await expect(servers.call(busy)).rejects.toMatchObject({ code: "AUTH_TEMPORARY" });
  expect(writes).toBeLessThan(100);
});

test("refreshed tokens are used although other processes change their predecessor at every write", async () => {
  const store = memoryStore();
  let isBusy = false;
  const { servers, provider, clock } = setUp(
    {},
    {
      interactive: "onLogin",
      store: {
        ...store,
        async put(key, value, conditions) {
          const present = isBusy && key.startsWith("tokens.") ? await store.get(key) : undefined;
          await (present && store.put(key, present.value));
          return store.put(key, value, conditions);
        },
      },
    },
  );
  await provider.login();
  clock.advance(hour + 1);
  servers.script.next("token", {
    edit(json) {
      isBusy = true;
      return json;
    },
  });
  expect((await servers.call(provider)).status).toBe(200);
  isBusy = false;
  clock.advance(hour + 1);
  expect((await servers.call(provider)).status).toBe(200);
  expect(servers.tokens.reuses).toBe(0);
});

test("refreshed tokens are revoked if another process has logged in and out in the meantime", async () => {
  const store = memoryStore();
  const { servers, provider, options, clock } = setUp({}, { store, interactive: "onLogin" });
  await provider.login();
  clock.advance(hour + 1);
  let hasLoggedIn = false;
  const late = createOAuth({
    ...options,
    store: {
      ...store,
      async get(key) {
        const found = await store.get(key);
        if (hasLoggedIn && key.startsWith("tokens.")) {
          hasLoggedIn = false;
          await provider.logout();
        }
        return found;
      },
    },
  });
  servers.script.next("token", { delayMs: 1000 });
  const refreshing = received(servers, "token");
  const call = servers.call(late).catch((error: unknown) => error);
  await refreshing;
  await provider.login();
  hasLoggedIn = true;
  expect(await passing(clock, call)).toMatchObject({ code: "NEEDS_USER" });
  expect(await headersOf(late, servers.server)).toBeUndefined();
  await turns();
  // The refresh token and the access token of the login, then those of the refresh.
  expect(servers.of("revoke")).toHaveLength(4);
});

test.each([
  ["not revoked, nor used, if another process has logged in", {}, false],
  [
    "revoked, not used, if another process has logged in with another client",
    { client: { registered: [{ issuer: "https://as.example", clientId: "other" }] } },
    true,
  ],
])("refreshed tokens are %s during the refresh", async (_, otherOptions, isRevoked) => {
  const { servers, provider, options, clock } = setUp({}, { store: memoryStore(), interactive: "onLogin" });
  await provider.login();
  clock.advance(hour + 1);
  let refreshed: Record<string, unknown> = {};
  servers.script.next("token", { delayMs: 1000, edit: (json) => (refreshed = json) });
  const refreshing = received(servers, "token");
  const call = servers.call(provider);
  await refreshing;
  const other = createOAuth({ ...options, ...otherOptions });
  await other.login();
  expect((await passing(clock, call)).status).toBe(200);
  expect(await headersOf(provider, servers.server)).toEqual(await headersOf(other, servers.server));
  await turns();
  const revoked = servers.of("revoke").map(({ parameters }) => parameters.get("token"));
  expect(revoked).toEqual(isRevoked ? [refreshed["refresh_token"], refreshed["access_token"]] : []);
});

test("a provider that closes waits for the revocation of refreshed tokens that are not used", async () => {
  const { servers, provider, options, clock } = setUp({}, { store: memoryStore(), interactive: "onLogin" });
  await provider.login();
  clock.advance(hour + 1);
  servers.script.next("token", { delayMs: 1000 });
  servers.script.always("revoke", { delayMs: 1000 });
  const refreshing = received(servers, "token");
  const call = servers.call(provider);
  await refreshing;
  const registered = [{ issuer: servers.issuer, clientId: "other" }];
  await createOAuth({ ...options, client: { registered } }).login();
  expect((await passing(clock, call)).status).toBe(200);
  await passing(clock, provider.close());
  expect(servers.of("revoke")).toHaveLength(2);
});

test("refreshed tokens are not revoked if another process has refreshed the same login, which would end", async () => {
  const { lock: _, ...store } = memoryStore();
  const { servers, provider, options, clock } = setUp(
    { rotates: false },
    { store, interactive: "onLogin", limits: { tokenTimeoutMs: 60_000 } },
  );
  await provider.login();
  clock.advance(hour + 1);
  servers.script.next("token", { delayMs: 20_000 });
  const refreshing = received(servers, "token");
  const slow = servers.call(provider);
  await refreshing;
  const other = createOAuth(options);
  const statuses = (await passing(clock, Promise.all([slow, servers.call(other)]))).map(
    ({ status }) => status,
  );
  expect(statuses).toEqual([200, 200]);
  await turns();
  expect(servers.of("token")).toHaveLength(3);
  expect(servers.of("revoke")).toEqual([]);
  expect(await headersOf(provider, servers.server)).toEqual(await headersOf(other, servers.server));
});

test.each([
  ["takes twelve seconds", []],
  ["does not receive the first request", [{ delayMs: 1e9, status: 503 }]],
])("processes without a lock keep their login at an authorization server that %s", async (_, reactions) => {
  const { lock: __, ...store } = memoryStore();
  const { servers, provider, options, clock } = setUp({}, { store, interactive: "onLogin" });
  await provider.login();
  clock.advance(hour + 1);
  servers.script.always("token", { delayMs: 12_000 });
  servers.script.next("token", ...reactions);
  const refreshing = received(servers, "token");
  const first = servers.call(provider);
  await refreshing;
  const both = Promise.all([first, servers.call(createOAuth(options))]);
  expect((await passing(clock, both)).map(({ status }) => status)).toEqual([200, 200]);
  expect(servers.tokens.reuses).toBe(0);
});

test("scopes that another process requires during a refresh are requested by the next login", async () => {
  const { servers, provider, options, clock } = setUp(
    { requires: ({ body }) => (body === "write" ? ["write"] : []) },
    { store: memoryStore(), interactive: "onLogin" },
  );
  await provider.login();
  clock.advance(hour - 30_000);
  servers.script.next("token", { delayMs: 5000 });
  const refreshing = received(servers, "token");
  await servers.call(provider);
  await refreshing;
  const other = createOAuth(options);
  await expect(servers.call(other, { body: "write" })).rejects.toMatchObject({ code: "NEEDS_USER" });
  await passing(clock, new Promise((resolve) => provider.changed(() => resolve(undefined))));
  await createOAuth(options).login();
  expect(servers.of("authorize").at(-1)?.parameters.get("scope")).toBe("write");
});
