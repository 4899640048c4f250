import { expect, test } from "vitest";

import { memoryStore, type AuthStore } from "../src/client.ts";
import type { Reaction } from "../src/testing.ts";
import { openPromise, setUp } from "./setup.ts";

const hour = 3_600_000;

test("a refresh is tried again if its pause has ended while the store was read", async () => {
  const store = memoryStore();
  const [reading, mayRead] = [openPromise(), openPromise()];
  let isSlow = false;
  const { servers, provider, clock } = setUp(
    {},
    {
      interactive: "onLogin",
      store: {
        ...store,
        async get(key) {
          if (isSlow) {
            isSlow = false;
            reading.resolve();
            await mayRead.promise;
          }
          return store.get(key);
        },
      },
    },
  );
  await provider.login();
  clock.advance(hour + 1);
  servers.script.next("token", { status: 503, body: {}, headers: { "retry-after": "60" } });
  await expect(servers.call(provider)).rejects.toMatchObject({ retryAfterMs: 60_000 });
  isSlow = true;
  const call = servers.call(provider);
  await reading.promise;
  clock.advance(60_000);
  mayRead.resolve();
  expect((await call).status).toBe(200);
});

test.each<[string, Reaction, string, number]>([
  ["is unavailable", { status: 503, body: {} }, "AUTH_TEMPORARY", 0],
  ["rejects the refresh token", { status: 400, body: { error: "invalid_grant" } }, "GRANT_EXPIRED", 0],
  ["rejects the client", { status: 401, body: { error: "invalid_client" } }, "CLIENT_REJECTED", 0],
  ["rejects the client", { status: 401, body: { error: "invalid_client" } }, "CLIENT_REJECTED", 1],
])(
  "the error of a server that %s is reported although the store fails, with a warning",
  async (_, reaction, code, worked) => {
    const store = memoryStore();
    let left = Infinity;
    const unlessBroken = <T>(work: () => Promise<T>): Promise<T> =>
      left-- > 0 ? work() : Promise.reject(new Error("disk"));
    const brittle: AuthStore = {
      get: (key) => unlessBroken(() => store.get(key)),
      put: (key, value, options) => unlessBroken(() => store.put(key, value, options)),
      delete: (key, options) => unlessBroken(() => store.delete(key, options)),
    };
    const { servers, provider, events, clock } = setUp({}, { interactive: "onLogin", store: brittle });
    await provider.login();
    clock.advance(hour + 1);
    const breaking = (json: Record<string, unknown>): Record<string, unknown> => {
      left = worked;
      return json;
    };
    servers.script.next("token", { ...reaction, edit: breaking });
    await expect(servers.call(provider)).rejects.toMatchObject({ code });
    expect(events).toContainEqual({ type: "warning", message: expect.stringContaining("store") as string });
    left = Infinity;
  },
);

test("the error of a server that rejects the client of a login is reported although the store fails", async () => {
  const store = memoryStore();
  let isBroken = false;
  const { servers, provider, events } = setUp(
    {},
    {
      interactive: "onLogin",
      store: {
        ...store,
        get: (key) => (isBroken ? Promise.reject(new Error("disk")) : store.get(key)),
      },
    },
  );
  const breaking = (json: Record<string, unknown>): Record<string, unknown> => {
    isBroken = true;
    return json;
  };
  servers.script.next("token", { status: 401, body: { error: "invalid_client" }, edit: breaking });
  await expect(provider.login()).rejects.toMatchObject({ code: "CLIENT_REJECTED" });
  expect(events).toContainEqual({ type: "warning", message: expect.stringContaining("store") as string });
});
