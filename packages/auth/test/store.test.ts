import { memoryStore } from "@tenon/auth/client";
import { fileStore } from "@tenon/auth/node";
import { storeConformance } from "@tenon/auth/testing";
import { describe, test } from "vitest";

import { temporaryDirectory, testKeychain } from "./folder.ts";

describe("the store in memory", () => {
  storeConformance({ test }, () =>
    Promise.resolve({ store: memoryStore(), [Symbol.asyncDispose]: () => Promise.resolve() }),
  );
});

describe.each([
  ["plain", "file"],
  ["sealed", "keychain"],
] as const)("the store in %s files", (_, protection) => {
  storeConformance({ test }, async () => {
    const folder = await temporaryDirectory();
    const options = { directory: `${folder.path}/store`, protection, keychain: testKeychain() };
    return {
      store: fileStore(options),
      other: fileStore(options),
      [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
    };
  });
});
