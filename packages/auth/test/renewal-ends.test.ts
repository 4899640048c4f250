import { expect, test } from "vitest";

import { createOAuth, memoryStore, type AuthStore, type OAuthOptions } from "../src/client.ts";
import { headersOf, openPromise, passing, received, setUp, turns, type Setup } from "./setup.ts";

/** A provider whose tokens have expired. `change` changes what its store does. */
async function expired(change: (store: AuthStore) => Partial<AuthStore>): Promise<Setup> {
  const store = memoryStore();
  const setup = setUp({}, { interactive: "onLogin", store });
  await passing(setup.clock, setup.provider.login());
  await setup.provider.close();
  setup.clock.advance(3_600_001);
  const options: OAuthOptions = { ...setup.options, store: { ...store, ...change(store) } };
  return { ...setup, options, provider: createOAuth(options) };
}

const ends = ["logout", "close"] as const;
const messages = { logout: "The user logged out. Call login().", close: "The provider was closed." };

test.each(ends)("a %s ends a renewal that waits for the lock of another process", async (end) => {
  const asked = openPromise();
  const { servers, provider, clock } = await expired(() => ({
    lock: (_, signal) =>
      new Promise((__, reject) => {
        signal.addEventListener("abort", () => reject(signal.reason as Error));
        asked.resolve();
      }),
  }));
  const call = servers.call(provider).catch((error: unknown) => error);
  await asked.promise;
  await passing(clock, provider[end]());
  expect(await call).toMatchObject({ code: "NEEDS_USER", message: messages[end] });
  expect(servers.of("token")).toHaveLength(1);
});

test.each(ends)("a %s ends a renewal that waits for another process to present its token", async (end) => {
  const reading = openPromise();
  const { servers, provider, clock } = await expired((store) => ({
    async get(key) {
      const found = await store.get(key);
      if (found === undefined || !key.startsWith("tokens.")) {
        return found;
      }
      reading.resolve();
      const record = JSON.parse(found.value) as Record<string, unknown>;
      return { ...found, value: JSON.stringify({ ...record, presentedAt: clock.date() - 1000 }) };
    },
  }));
  const call = servers.call(provider).catch((error: unknown) => error);
  await reading.promise;
  await turns();
  await passing(clock, provider[end]());
  expect(await call).toMatchObject({ code: "NEEDS_USER", message: messages[end] });
  expect(servers.of("token")).toHaveLength(1);
});

test.each(ends)("a %s ends a renewal whose response was lost before it is repeated", async (end) => {
  const { servers, provider, clock } = await expired(() => ({}));
  servers.script.next("token", { drop: "response" });
  const presented = received(servers, "token");
  const call = servers.call(provider).catch((error: unknown) => error);
  await presented;
  await turns();
  await passing(clock, provider[end]());
  expect(await call).toMatchObject({ code: "NEEDS_USER", message: messages[end] });
  expect(servers.of("token")).toHaveLength(2);
});

test("a renewal that reads the store when the user logs out presents no refresh token", async () => {
  const [reading, mayRead] = [openPromise(), openPromise()];
  let isRenewing = false;
  const { servers, provider, clock } = await expired((store) => ({
    async lock(key, signal) {
      isRenewing = true;
      return (await store.lock?.(key, signal)) as AsyncDisposable;
    },
    async get(key) {
      const found = await store.get(key);
      if (isRenewing) {
        isRenewing = false;
        reading.resolve();
        await mayRead.promise;
      }
      return found;
    },
  }));
  const call = servers.call(provider).catch((error: unknown) => error);
  await reading.promise;
  const logout = provider.logout();
  await turns();
  mayRead.resolve();
  await passing(clock, logout);
  expect(await call).toMatchObject({ code: "NEEDS_USER" });
  expect(servers.of("token")).toHaveLength(1);
  expect(await headersOf(provider, servers.server)).toBeUndefined();
});

test("a provider that closes waits for the response of a refresh, and stores its tokens", async () => {
  const store = memoryStore();
  let writes = 0;
  const { servers, provider, clock } = setUp(
    {},
    {
      interactive: "onLogin",
      store: {
        ...store,
        put(key, value, conditions) {
          writes += key.startsWith("tokens.") ? 1 : 0;
          return store.put(key, value, conditions);
        },
      },
    },
  );
  await passing(clock, provider.login());
  servers.script.next("token", { delayMs: 8000 });
  clock.advance(3_600_001);
  void servers.call(provider).catch(() => {});
  await turns();
  const before = writes;
  await passing(clock, provider.close());
  expect(writes).toBe(before + 1);
});

test("a refresh ends although its lock is never released", async () => {
  const { servers, provider, clock } = await expired((store) => ({
    async lock(key, signal) {
      await store.lock?.(key, signal);
      return { [Symbol.asyncDispose]: () => new Promise<never>(() => {}) };
    },
  }));
  const time = new Promise((resolve) => clock.setTimeout(() => resolve("too late"), 60_000, true));
  expect(await passing(clock, Promise.race([servers.call(provider), time]))).toMatchObject({ status: 200 });
});

test("a renewal gives up a store whose lock ignores its signal, and releases the lock that comes too late", async () => {
  const [released, lockLate] = [openPromise(), openPromise()];
  const { servers, provider, clock } = await expired(() => ({
    async lock() {
      await lockLate.promise;
      return {
        [Symbol.asyncDispose]() {
          released.resolve();
          return Promise.resolve();
        },
      };
    },
  }));
  const time = new Promise((resolve) => clock.setTimeout(() => resolve("too late"), 60_000, true));
  const call = servers.call(provider).catch((error: unknown) => error);
  expect(await passing(clock, Promise.race([call, time]))).toMatchObject({ code: "AUTH_TEMPORARY" });
  expect(servers.of("token")).toHaveLength(1);
  lockLate.resolve();
  await released.promise;
});

test.each<[string, () => Promise<void>]>([
  ["does not end in time", () => new Promise<never>(() => {})],
  ["fails", () => Promise.reject(new Error("The file with the key is missing."))],
])("other processes do not wait for a refresh whose client authentication %s", async (_, authenticate) => {
  const store = memoryStore();
  let isBroken = false;
  let written = "";
  const { servers, provider, clock } = setUp({}, ({ issuer }) => ({
    interactive: "onLogin",
    store: {
      ...store,
      put(key, value, conditions) {
        written = key.startsWith("tokens.") ? value : written;
        return store.put(key, value, conditions);
      },
    },
    client: {
      registered: [
        {
          issuer,
          clientId: "client",
          auth: {
            methods: ["none"],
            async authenticate({ body, clientId }) {
              await (isBroken && authenticate());
              body.set("client_id", clientId);
            },
          },
        },
      ],
    },
  }));
  await provider.login();
  clock.advance(3_600_001);
  isBroken = true;
  await expect(passing(clock, servers.call(provider))).rejects.toBeInstanceOf(Error);
  expect(servers.of("token")).toHaveLength(1);
  expect(JSON.parse(written)).not.toHaveProperty("presentedAt");
});
