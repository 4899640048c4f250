import { fileURLToPath } from "node:url";

import { defineConfig } from "vitest/config";

import { standardDecorators } from "./packages/jsonschema/src/vite.ts";

/**
 * `import` and `default` come by themselves; Node would be told of them too, and `require` would be
 * given modules.
 */
const conditions = ["@tenon/source", "node"];

const setup = fileURLToPath(new URL("tools/run/test-setup.ts", import.meta.url));

/**
 * The tests of a folder are one vitest project, so that a source is compiled once for all of them.
 * Run some of them by their path: `vitest run packages/mcp`.
 */
const projects = ["packages", "tools", "examples"].map((folder) => ({
  extends: true as const,
  test: {
    name: folder,
    include: [`${folder}/*/test/**/*.test.ts`],
    setupFiles: setup,
    // Packages keep no state in their modules, so the files of a worker share them. Importing them
    // again for each file took more time than the tests. Tools change what is global, so their
    // files stay apart.
    isolate: folder !== "packages",
  },
}));

export default defineConfig({
  plugins: [standardDecorators()],
  resolve: { conditions },
  ssr: { resolve: { conditions, externalConditions: conditions } },
  test: {
    projects,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // What a busy machine does late is not wrong.
    expect: { poll: { timeout: 30_000 } },
    // Many tests wait for child processes and sockets, so every core gets a worker.
    maxWorkers: "100%",
  },
});
