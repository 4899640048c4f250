import { expect, test } from "vitest";

import { createOAuth, isAuthError, memoryStore, type AuthStore } from "../src/client.ts";
import { headersOf, passing, setUp } from "./setup.ts";

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
