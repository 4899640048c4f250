import { expect, test } from "vitest";

import { memoryStore, type AuthStore } from "../src/client.ts";
import { headersOf, openPromise, passing, setUp, turns } from "./setup.ts";

const hour = 3_600_000;

/** A store that fails while `isBroken`. */
function brittleStore() {
  const store = memoryStore();
  const state = { isBroken: false };
  const unlessBroken = <T>(work: () => Promise<T>): Promise<T> =>
    state.isBroken ? Promise.reject(new Error("disk")) : work();
  const brittle: AuthStore = {
    get: (key) => unlessBroken(() => store.get(key)),
    put: (key, value, options) => unlessBroken(() => store.put(key, value, options)),
    delete: (key, options) => unlessBroken(() => store.delete(key, options)),
  };
  return Object.assign(state, { store: brittle });
}

/**
 * A store that holds the nth write of tokens back. @param fails - Whether that write fails then.
 * Otherwise only its result is late.
 */
function slowStore(nth: number, fails: boolean) {
  const store = memoryStore();
  const reached = openPromise();
  const held = openPromise();
  let count = 0;
  const slow: AuthStore = {
    ...store,
    async put(key, value, options) {
      if (!key.startsWith("tokens.") || ++count !== nth) {
        return store.put(key, value, options);
      }
      const written = fails ? undefined : await store.put(key, value, options);
      reached.resolve();
      await held.promise;
      if (written === undefined) {
        throw new Error("disk");
      }
      return written;
    },
  };
  return { store: slow, reached: reached.promise, release: held.resolve };
}

test("a logout with a store that fails rejects, but revokes the tokens and never uses them again", async () => {
  const brittle = brittleStore();
  const { servers, provider } = setUp({}, ({ issuer }) => ({
    store: brittle.store,
    interactive: "onLogin",
    client: { registered: [{ issuer, clientId: "client" }] },
  }));
  await provider.login();
  brittle.isBroken = true;
  await expect(provider.logout()).rejects.toMatchObject({ code: "AUTH_STORE_FAILED" });
  expect(provider.status.state).toBe("anonymous");
  expect(provider.authorizationContext).toBeUndefined();
  expect(servers.of("revoke")).toHaveLength(2);
  brittle.isBroken = false;
  expect(await headersOf(provider, servers.server)).toBeUndefined();
  await provider.login();
  expect((await servers.call(provider)).status).toBe(200);
  await provider.logout();
  expect(await headersOf(provider, servers.server)).toBeUndefined();
});

test.each([
  ["fails", true],
  ["is confirmed", false],
])("tokens of a login whose write %s only after a logout are revoked, not used", async (_, fails) => {
  const { store, reached, release } = slowStore(1, fails);
  const { servers, provider, clock } = setUp({}, { store, interactive: "onLogin" });
  const login = provider.login().catch((error: unknown) => error);
  await reached;
  await passing(clock, provider.logout({ revoke: false }));
  expect(await login).toMatchObject({ code: "NEEDS_USER" });
  release();
  await turns();
  expect(await headersOf(provider, servers.server)).toBeUndefined();
  expect(servers.of("revoke")).toHaveLength(2);
});

test("tokens of a refresh whose write fails only after a logout are revoked, not used", async () => {
  // The login, the mark of the refresh, and its tokens.
  const { store, reached, release } = slowStore(3, true);
  const { servers, provider, clock } = setUp({}, { store, interactive: "onLogin" });
  await provider.login();
  clock.advance(hour + 1);
  const call = servers.call(provider).catch((error: unknown) => error);
  await reached;
  await passing(clock, provider.logout({ revoke: false }));
  release();
  await call;
  await turns();
  expect(await headersOf(provider, servers.server)).toBeUndefined();
  expect(servers.of("revoke")).toHaveLength(2);
});
