import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

import { rolldown } from "rolldown";
import { afterAll, expect, test } from "vitest";

import { shared, suiteIsHere } from "./support/suite.ts";

const folder = mkdtempSync(join(tmpdir(), "tenon-builds-"));
afterAll(() => rmSync(folder, { recursive: true }));

async function bundle(entry: string, conditions: readonly string[]): Promise<string> {
  const build = await rolldown({
    input: fileURLToPath(new URL(entry, import.meta.url)),
    platform: "neutral",
    external: /^node:/,
    resolve: { conditionNames: ["@tenon/source", ...conditions, "import", "default"] },
  });
  const { output } = await build.generate({ format: "esm", minify: true });
  await build.close();
  return output[0].code;
}

const kilobytes = (code: string): number => gzipSync(code).length / 1000;

for (const condition of ["browser", "worker", "workerd", "edge-light", "(none)"]) {
  test(`a build with the condition ${condition} contains no code generator`, async () => {
    const code = await bundle("../src/index.ts", [condition]);
    expect(code).not.toMatch(/\bFunction\(|\beval\(/);
    expect(code).not.toContain("use strict");
  });
}

for (const condition of ["node", "bun", "deno"]) {
  test(`a build with the condition ${condition} contains the code generator`, async () => {
    expect(await bundle("../src/index.ts", [condition])).toMatch(/\bFunction\(/);
  });
}

test("the core build takes at most 16.5 KB, everything at most 37 KB, minified and gzipped", async () => {
  expect(kilobytes(await bundle("../src/core.ts", []))).toBeLessThanOrEqual(16.5);
  expect(kilobytes(await bundle("../src/index.ts", ["node"]))).toBeLessThanOrEqual(37);
});

test.skipIf(!suiteIsHere)(
  "the suite passes where code cannot be made from strings (skipped without $TENON_SHARED)",
  async () => {
    const file = join(folder, "run.mjs");
    writeFileSync(file, await bundle("./support/no-eval-run.ts", ["node"]));
    const output = execFileSync(process.execPath, ["--disallow-code-generation-from-strings", file], {
      env: { ...process.env, TENON_SHARED: shared },
      encoding: "utf8",
    });
    expect(JSON.parse(output)).toEqual({
      forbidden: true,
      counts: {
        "closures draft2020-12": 2225,
        "closures draft7": 1721,
        "codegen draft2020-12": 2225,
        "codegen draft7": 1721,
        "auto draft2020-12": 2225,
        "auto draft7": 1721,
      },
    });
  },
);

test("nothing is kept after a validator is dropped", async () => {
  const file = join(folder, "heap.mjs");
  const library = join(folder, "library.mjs");
  writeFileSync(library, await bundle("../src/index.ts", ["node"]));
  writeFileSync(
    file,
    `import { compile } from "./library.mjs";
    const schema = (i) => ({ $id: "https://example.test/" + i, type: "object", properties: { ["p" + i]: { type: "string", pattern: "^" + i } } });
    const round = () => { for (let i = 0; i < 2000; i++) for (const engine of ["closures", "codegen"]) compile(schema(i), { engine }).check({ ["p" + i]: 1 }); };
    const heap = () => { gc(); gc(); return process.memoryUsage().heapUsed; };
    // The engine's own cache of compiled code fills and empties; what the library kept would grow in every round.
    const growth = [];
    for (let i = 0; i < 8; i++) { const before = heap(); round(); growth.push((heap() - before) / 4000); }
    console.log(Math.min(...growth));`,
  );
  const perSchema = Number(execFileSync(process.execPath, ["--expose-gc", file], { encoding: "utf8" }));
  // A retained schema would show as hundreds of bytes at least.
  expect(perSchema).toBeLessThan(50);
});
