import { existsSync, readdirSync } from "node:fs";
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
 * Every workspace member that has tests is a vitest project of its own, so that a failure names its
 * package.
 */
const projects = ["packages", "tools", "examples"].flatMap((folder) =>
  readdirSync(folder)
    .filter((name) => existsSync(`${folder}/${name}/test`))
    .map((name) => ({
      extends: true as const,
      test: {
        name: `${folder}/${name}`,
        root: `${folder}/${name}`,
        include: ["test/**/*.test.ts"],
        setupFiles: setup,
        // Packages keep no state in their modules, so the files of a project share them. Importing
        // them again for each file took a third of the time. Tools change what is global, so their
        // files stay apart.
        isolate: folder !== "packages",
      },
    })),
);

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
