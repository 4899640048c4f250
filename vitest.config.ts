import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";

import * as esbuild from "esbuild";
import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

import { standardDecorators } from "./packages/jsonschema/src/vite.ts";

/**
 * `import` and `default` come by themselves; Node would be told of them too, and `require` would be
 * given modules.
 */
const conditions = ["@tenon/source", "node"];

/** Files that take long, longest first: all workers but one would wait for a file that starts last. */
const long = [
  "tools/registry/test/install",
  "tools/consumers/test/typegen",
  "packages/store-postgres/test/stores",
  "packages/cli/test/doctor",
  "tools/interop/test/cluster",
  "tools/run/test/layers",
  "tools/interop/test/lost-messages",
  "packages/inspector/test/exported",
  "packages/cli/test/kept",
  "tools/docs/test/programs/sdk",
  "tools/bench/test/size",
  "packages/store-redis/test/stores",
  "packages/transports-message/test/chromium",
  "packages/tasks/test/kill",
  "tools/consumers/test/protocol",
  "tools/interop/test/spellings",
  "packages/mcp/test/hostile-bytes",
  "tools/docs/test/exports",
  "tools/runtimes/test/runtimes",
];

/**
 * Files that start many programs. They run first, while workers are small: Node 20 forks the worker
 * for each program, which takes 45 ms of processor time per GB of its memory.
 */
const startsPrograms =
  /\/(?:tools|examples)\/|\/packages\/(?:cli|create-tenon|official-v1|ship|transports-stdio)\/|\/(?:builds|kill|processes|proxy|typescript)\.test/;

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification): number => {
      const place = long.findIndex((path) => moduleId.includes(path));
      return place < 0 ? long.length : place;
    };
    const group = ({ moduleId }: TestSpecification): number => (startsPrograms.test(moduleId) ? 0 : 1);
    const sorted = await super.sort(files);
    return sorted.toSorted((a, b) => rank(a) - rank(b) || group(a) - group(b));
  }
}

/**
 * Files that reset the modules of their worker or change classes that other files use, and files
 * for which a module must exist once: other files register hooks for modules, and what is imported
 * after that has a copy of its own. In other files `vi.resetModules` throws.
 */
const alone = "{packages,tools,examples}/*/test/**/*.alone.test.ts";

export default defineConfig({
  plugins: [standardDecorators(esbuild)],
  resolve: { conditions },
  ssr: { resolve: { conditions, externalConditions: conditions } },
  test: {
    projects: [
      {
        extends: true,
        test: {
          name: "shared",
          include: ["{packages,tools,examples}/*/test/**/*.test.ts"],
          exclude: [alone, "**/node_modules/**"],
        },
      },
      // Modules that other files use would be there twice if they were imported again after these.
      { extends: true, test: { name: "alone", include: [alone], isolate: true } },
    ],
    setupFiles: fileURLToPath(new URL("tools/run/test-setup.ts", import.meta.url)),
    // Nothing keeps state in its modules, so the files of a worker share them, and a source is
    // compiled once for all. Importing them again for each file took more time than the tests.
    isolate: false,
    globalSetup: fileURLToPath(new URL("tools/test-support/src/one-chromium.ts", import.meta.url)),
    // For tests that hang. A test on a machine whose cores are taken needs ten times its usual time.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    // What a busy machine does late is not wrong. `test-setup.ts` has the same for `vi.waitFor`.
    expect: { poll: { timeout: 60_000 } },
    // Many tests wait for child processes and sockets, so there are more workers than cores.
    maxWorkers: availableParallelism() + 2,
    sequence: { sequencer: LongestFirst },
  },
});
