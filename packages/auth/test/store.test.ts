import { memoryStore } from "@tenon/auth/client";
import { fileStore } from "@tenon/auth/node";
import { authStoreConformance } from "@tenon/stores/testing";
import { describe, expect, test } from "vitest";

import { temporaryDirectory, testKeychain } from "./folder.ts";

const ignored = (): Promise<void> => Promise.resolve();

describe("the store in memory", () => {
  const count = authStoreConformance({ test }, () =>
    Promise.resolve({ store: memoryStore(), advance: ignored, [Symbol.asyncDispose]: ignored }),
  );
  test("the kit has all its checks", () => expect(count).toBe(19));
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
