import { StoreError, type AuthStore } from "@tenon/stores";
import { expect, test } from "vitest";

import { createBroker, development } from "../src/index.ts";
import { createMemoryAuthStore } from "../src/store/memory.ts";
import { createSigningKeys } from "../src/store/signing-keys.ts";
import { createVault, never } from "../src/store/vault.ts";
import { openBrowser } from "./browser.ts";
import { downstream, tryToken } from "./downstream.ts";
import { scopes, startProtected } from "./support.ts";

const keys = ["operator-key-operator-key-operator-key-1"];

test("B-027: a stolen store without the keys tells nothing: no token, name, address, client or subject", async () => {
  const memory = createMemoryAuthStore();
  const stolen: string[] = [];
  const auth: AuthStore = {
    ...memory,
    put(key, value, options) {
      stolen.push(key, value);
      return memory.put(key, value, options);
    },
  };
  await using server = await startProtected({ stores: { auth }, keys, keepUpstreamTokens: true });
  const browser = openBrowser((url) => url.includes(":7777/"));
  const client = await downstream(server.origin, { name: "A recognizable client" });
  const back = await client.login(browser);
  const tokens = await client.redeem(back);
  const bytes = stolen.join("\n");
  expect(stolen.length).toBeGreaterThan(20);
  const secrets = [
    tokens.refresh_token,
    tokens.access_token,
    back.searchParams.get("code") ?? "",
    ...browser.cookies.values(),
    client.clientId,
    "recognizable",
    "alice@example.com",
    "development:alice",
    "127.0.0.1:7777",
    "notes:read",
  ];
  expect(secrets.filter((secret) => bytes.includes(secret))).toEqual([]);
});

test("B-028: a process with other keys does not start, a new key takes over, and an old one that is gone opens nothing", async () => {
  const auth = createMemoryAuthStore();
  const upstream = development();
  const resource = "http://127.0.0.1:9/mcp";
  const [old, fresh] = ["o".repeat(32), "f".repeat(32)];
  const create = (...secrets: string[]) =>
    createBroker({ resource, scopes, upstream, stores: { auth }, keys: secrets });
  await create(old);
  await expect(create(fresh)).rejects.toThrow("keys of createBroker do not open");
  const vault = createVault(auth, [old]);
  await vault.put("thing", "1", { value: "kept", expiresAt: never });
  await create(fresh, old);
  const both = createVault(auth, [fresh, old]);
  expect((await both.get("thing", "1"))?.value).toBe("kept");
  await both.update("thing", "1", (before) => before ?? "keep");
  expect((await createVault(auth, [fresh]).get("thing", "1"))?.value).toBe("kept");
  expect(await vault.get("thing", "1")).toBeUndefined();
  await create(fresh);
});

test("a value belongs to its name: moved or changed, it is not there", async () => {
  const auth = createMemoryAuthStore();
  const names: string[] = [];
  const vault = createVault(
    { ...auth, put: (key, value, options) => (names.push(key), auth.put(key, value, options)) },
    keys,
  );
  await vault.put("a", "1", { value: "one", expiresAt: never });
  await vault.put("a", "2", { value: "two", expiresAt: never });
  const [first = "", second = ""] = names;
  await auth.put(first, (await auth.get(second))?.value ?? "");
  expect(await vault.get("a", "1")).toBeUndefined();
  expect((await vault.get("a", "2"))?.value).toBe("two");
  const taken = await Promise.all([1, 2, 3].map(() => vault.take("a", "2")));
  expect(taken.filter((one) => one !== undefined)).toHaveLength(1);
});

test("a new key is published long before it signs, and an old one long after", async () => {
  const vault = createVault(createMemoryAuthStore(), keys);
  const day = 86_400_000;
  const [first] = await createSigningKeys(vault, "i", day).current();
  await vault.update<{ jwk: { kid: string }; createdAt: number }[]>("signing", "i", (before) => ({
    value: (before?.value ?? []).map((key) => ({ ...key, createdAt: key.createdAt - 2 * day })),
    expiresAt: never,
  }));
  const renewed = await Promise.all([
    createSigningKeys(vault, "i", day).current(),
    createSigningKeys(vault, "i", day).current(),
  ]);
  for (const found of renewed) {
    expect(found).toHaveLength(2);
    // The new one waits.
    expect(found[0]?.jwk.kid).toBe(first?.jwk.kid);
  }
  expect(renewed[0]?.[1]?.jwk.kid).toBe(renewed[1]?.[1]?.jwk.kid);
});

test("while the store fails, nobody is sent to a login again, and pages say so", async () => {
  const memory = createMemoryAuthStore();
  let isDown = false;
  const guarded = <T>(value: () => Promise<T>): Promise<T> =>
    isDown ? Promise.reject(new StoreError("STORE_FAILED", "The store is down.")) : value();
  await using server = await startProtected({
    keys,
    stores: {
      auth: {
        ...memory,
        get: (key) => guarded(() => memory.get(key)),
        put: (...all) => guarded(() => memory.put(...all)),
      },
    },
  });
  const client = await downstream(server.origin);
  const tokens = await client.redeem(await client.login());
  isDown = true;
  expect(await tryToken(server.origin, tokens.access_token)).toBe(503);
  const renewal = await client.token({ grant_type: "refresh_token", refresh_token: tokens.refresh_token });
  expect(renewal.status).toBeGreaterThanOrEqual(500);
  expect((await openBrowser().visit(client.authorizationUrl())).status).toBeGreaterThanOrEqual(500);
  isDown = false;
  expect(await tryToken(server.origin, tokens.access_token)).toBe(200);
  expect(
    (await client.token({ grant_type: "refresh_token", refresh_token: tokens.refresh_token })).status,
  ).toBe(200);
});
