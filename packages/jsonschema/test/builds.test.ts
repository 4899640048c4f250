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

/**
 * Bundles a module of this folder, or, of the module `from`, what `names` lists: all that is there
 * before it runs.
 */
async function bundle(from: string, conditions: readonly string[], names?: string): Promise<string> {
  const input = fileURLToPath(new URL(from, import.meta.url));
  const entry = "virtual:entry";
  const build = await rolldown({
    input: names === undefined ? input : entry,
    plugins: [
      {
        name: "entry",
        resolveId: (id) => (id === entry ? id : undefined),
        load: (id) => (id === entry ? `export { ${names} } from ${JSON.stringify(input)};` : undefined),
      },
    ],
    platform: "neutral",
    external: /^node:/,
    resolve: { conditionNames: ["@tenon/source", ...conditions, "import", "default"] },
  });
  const { output } = await build.generate({ format: "esm", minify: true });
  await build.close();
  const chunks = new Map(
    output.flatMap((chunk) => (chunk.type === "chunk" ? [[chunk.fileName, chunk]] : [])),
  );
  const start = new Set([output[0].fileName]);
  // `imports` are the static ones only.
  for (const name of start) {
    for (const other of chunks.get(name)?.imports ?? []) {
      start.add(other);
    }
  }
  return Array.from(start, (name) => chunks.get(name)?.code ?? "").join("");
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

test.each([
  ["../src/core.ts", "node", "compile", 16.3],
  ["../src/core.ts", "node", "resolveSchema", 18.6],
  ["../src/index.ts", "browser", "compile", 29.7],
  ["../src/index.ts", "node", undefined, 43.3],
  // Without the compiler, which is loaded when it is needed.
  ["../src/lazy.ts", "node", "resolveSchema", 4.6],
])("of %s for %s, %s takes at most %d KB, minified and gzipped", async (from, condition, names, limit) => {
  expect(kilobytes(await bundle(from, [condition], names))).toBeLessThanOrEqual(limit);
});

test("a bundle that describes no class does not install Symbol.metadata, one that does has it", async () => {
  const installs = /defineProperty\(Symbol/;
  expect(await bundle("../src/core.ts", [])).not.toMatch(installs);
  expect(await bundle("../src/index.ts", [], "compile, resolveSchema")).not.toMatch(installs);
  expect(await bundle("../src/index.ts", [], "string")).toMatch(installs);
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
    // The engine's own cache of compiled code fills and empties; what the library kept would grow
    // in every round.
    const growth = [];
    for (let i = 0; i < 8; i++) { const before = heap(); round(); growth.push((heap() - before) / 4000); }
    console.log(Math.min(...growth));`,
  );
  const perSchema = Number(execFileSync(process.execPath, ["--expose-gc", file], { encoding: "utf8" }));
  // A retained schema would show as hundreds of bytes at least.
  expect(perSchema).toBeLessThan(50);
});

test("nothing is kept of one output after another", async () => {
  const file = join(folder, "outputs.mjs");
  const library = join(folder, "library-of-outputs.mjs");
  writeFileSync(library, await bundle("../src/index.ts", ["node"]));
  writeFileSync(
    file,
    `import { compile } from "./library-of-outputs.mjs";
    const validator = compile({ patternProperties: { "^x": true }, unevaluatedProperties: false, unevaluatedItems: false });
    const heap = () => { gc(); gc(); return process.memoryUsage().heapUsed; };
    const growth = [];
    for (let i = 0; i < 4; i++) { const before = heap(); for (let j = 0; j < 2000; j++) { validator.output({ x: j }, "basic"); validator.output([j], "basic"); } growth.push((heap() - before) / 4000); }
    console.log(Math.min(...growth));`,
  );
  const perOutput = Number(execFileSync(process.execPath, ["--expose-gc", file], { encoding: "utf8" }));
  // A retained collector would show as hundreds of bytes.
  expect(perOutput).toBeLessThan(100);
});
