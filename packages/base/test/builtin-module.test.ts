import { expect, test, vi } from "vitest";

import { builtinModule } from "../src/index.ts";

test("a module of Node is found without an import", () => {
  expect(builtinModule("node:path")).toHaveProperty("sep");
  expect(builtinModule("node:no-such-module")).toBeUndefined();
});

test.each([
  ["without a process", undefined],
  ["whose process has no modules", {}],
  [
    "whose process throws, as the edge runtime of Next.js",
    {
      getBuiltinModule: () => {
        throw new Error("A Node.js API is used which is not supported in the Edge Runtime.");
      },
    },
  ],
])("a runtime %s has none", (_, process) => {
  vi.stubGlobal("process", process);
  try {
    expect(builtinModule("node:path")).toBeUndefined();
  } finally {
    vi.unstubAllGlobals();
  }
});
