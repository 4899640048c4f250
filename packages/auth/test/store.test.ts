import { browserStore, memoryStore, type BrowserStorage } from "@tenon/auth/client";
import { fileStore } from "@tenon/auth/node";
import { authStoreConformance } from "@tenon/stores/testing";
import { describe, expect, test } from "vitest";

import { temporaryDirectory, testKeychain } from "./folder.ts";

const ignored = (): Promise<void> => Promise.resolve();

describe("the store in memory", () => {
  const count = authStoreConformance({ test }, () =>
    Promise.resolve({ store: memoryStore(), advance: ignored, [Symbol.asyncDispose]: ignored }),
  );
  test("the kit has all its checks", () => expect(count).toBe(20));
});

/** The storage of a browser, without a browser. */
function createStorage(): BrowserStorage {
  const items = new Map<string, string>();
  return {
    get length() {
      return items.size;
    },
    getItem: (key) => items.get(key) ?? null,
    key: (index) => [...items.keys()][index] ?? null,
    removeItem: (key) => void items.delete(key),
    setItem: (key, value) => void items.set(key, value),
  };
}

describe("the store in the storage of a browser", () => {
  authStoreConformance({ test }, () => {
    const storage = createStorage();
    return Promise.resolve({
      store: browserStore(storage),
      advance: ignored,
      reopen: () => Promise.resolve(browserStore(storage)),
      [Symbol.asyncDispose]: ignored,
    });
  });

  test("another page reads what was written, until it has expired", async () => {
    const storage = createStorage();
    storage.setItem("tenon-auth:broken", "{");
    storage.setItem("of the page", "1");
    const store = browserStore(storage);
    const generation = await store.put("key", "1");
    await store.put("flow", "1", { expiresAt: 1 });
    const next = browserStore(storage);
    expect(await next.get("key")).toEqual({ value: "1", generation });
    expect(await next.get("flow")).toBeUndefined();
    expect(await next.get("broken")).toBeUndefined();
    await next.put("other", "1");
    const keys = Array.from({ length: storage.length }, (_, index) => storage.key(index));
    expect(keys).toEqual(["of the page", "tenon-auth:key", "tenon-auth:other"]);
  });
});

describe.each([
  ["plain", "file"],
  ["sealed", "keychain"],
] as const)("the store in %s files", (_, protection) => {
  authStoreConformance(
    { test },
    async () => {
      const folder = await temporaryDirectory();
      const options = { directory: `${folder.path}/store`, protection, keychain: testKeychain() };
      return {
        store: fileStore(options),
        other: fileStore(options),
        advance: ignored,
        reopen: () => Promise.resolve(fileStore(options)),
        [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
      };
    },
    { durable: true },
  );
});
