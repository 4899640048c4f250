import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";

import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

import { standardDecorators } from "./packages/jsonschema/src/vite.ts";

/**
 * `import` and `default` come by themselves; Node would be told of them too, and `require` would be
 * given modules.
 */
const conditions = ["@tenon/source", "node"];

const setup = fileURLToPath(new URL("tools/run/test-setup.ts", import.meta.url));

/** Tools that read the repository: their tests change nothing that is global. */
const readers = ["codegen", "docs", "requirements"].map((name) => `tools/${name}/test/**/*.test.ts`);

/**
 * The tests of a folder are one vitest project, so that a source is compiled once for all of them.
 * Run some of them by their path: `vitest run packages/mcp`.
 */
const projects = [
  // Packages keep no state in their modules, so the files of a worker share them. Importing them
  // again for each file took more time than the tests.
  project("packages", ["packages/*/test/**/*.test.ts"], false),
  project("readers", readers, false),
  // Other tools change what is global, so their files stay apart.
  project("tools", ["tools/*/test/**/*.test.ts"], true, readers),
  project("examples", ["examples/*/test/**/*.test.ts"], true),
];

function project(name: string, include: string[], isolate: boolean, exclude: string[] = []) {
  return { extends: true as const, test: { name, include, exclude, setupFiles: setup, isolate } };
}

/** Files that take long, longest first: all workers but one would wait for a file that starts last. */
const long = [
  "tools/consumers/test/typegen",
  "tools/registry/test/install",
  "tools/bench/test/size",
  "tools/interop/test/cluster",
  "tools/runtimes/test/runtimes",
  "tools/consumers/test/protocol",
  "tools/docs/test/exports",
  "tools/interop/test/layers",
  "packages/cli/test/doctor",
  "packages/store-postgres/test/stores",
  "packages/store-redis/test/stores",
  "packages/inspector/test/exported",
  "packages/jsonschema/test/fuzz",
];

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification): number => {
      const place = long.findIndex((path) => moduleId.includes(path));
      return place < 0 ? long.length : place;
    };
    // Tools start more compilers and programs than packages do.
    const group = ({ project: { name } }: TestSpecification): number => (name === "packages" ? 1 : 0);
    const sorted = await super.sort(files);
    return sorted.toSorted((a, b) => rank(a) - rank(b) || group(a) - group(b));
  }
}

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
    // Many tests wait for child processes and sockets, so there is a worker more than there are cores.
    maxWorkers: availableParallelism() + 1,
    sequence: { sequencer: LongestFirst },
  },
});
