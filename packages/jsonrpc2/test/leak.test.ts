import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

import { build } from "esbuild";
import { beforeAll, expect, test } from "vitest";

const run = promisify(execFile);
const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const bundle = here("../node_modules/.cache/leak-test.mjs");

/**
 * Heap is measured in a process of its own, where the collector can be called and no test runner
 * keeps things alive.
 */
async function measure(script: string): Promise<Record<string, number | boolean>> {
  const { stdout } = await run(process.execPath, ["--expose-gc", here(`fixtures/${script}`), bundle]);
  return JSON.parse(stdout) as Record<string, number | boolean>;
}

beforeAll(async () => {
  await build({
    entryPoints: [here("../src/index.ts")],
    bundle: true,
    format: "esm",
    outfile: bundle,
    target: "node20",
  });
});

test("a hundred thousand cancelled calls leave no listener, no timer and less than 1 MB of heap", async () => {
  const left = await measure("cancelled-calls.mjs");
  expect(left).toMatchObject({ pendingBefore: 1, listeners: 0, liveTimers: 0, idle: true });
  expect(left["growth"]).toBeLessThan(1_000_000);
});

test("an idle pair of peers holds less than 4 KB of heap", async () => {
  const { bytesPerPair } = await measure("idle-pair.mjs");
  expect(bytesPerPair).toBeLessThan(4096);
});

test("a peer whose calls are answered does not keep its process alive, though the time they had is not over", async () => {
  expect(await measure("ends-by-itself.mjs")).toEqual({ answered: 2 });
});
