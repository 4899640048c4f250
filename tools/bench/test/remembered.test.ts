import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { expect, onTestFinished, test } from "vitest";

import { bundlers, type Bundled } from "../src/suites/size/measure.ts";
import { rememberedBundlers } from "../src/suites/size/remembered.ts";

/** A project with three packages, of which `one` imports `two`. */
function project(): { readonly folder: string; write(name: string, code: string): void } {
  const folder = mkdtempSync(join(tmpdir(), "tenon-sizes-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const write = (name: string, code: string): void => {
    const own = join(folder, "node_modules/@tenon", name);
    mkdirSync(own, { recursive: true });
    const dependencies = name === "one" ? { "@tenon/two": "1" } : {};
    writeFileSync(
      join(own, "package.json"),
      JSON.stringify({ name: `@tenon/${name}`, type: "module", exports: "./index.js", dependencies }),
    );
    writeFileSync(join(own, "index.js"), code);
  };
  write("one", 'export * from "@tenon/two";');
  write("two", "export const two = 2;");
  write("three", "export const three = 3;");
  return { folder, write };
}

/** Sizes of a program of the first package, and the programs that were bundled for them. */
function sizing(folder: string, file: string): { readonly made: string[]; size(): Promise<number> } {
  const made: string[] = [];
  const counting = {
    esbuild: (bundled: Bundled) => {
      made.push(bundled.code);
      return bundlers.esbuild(bundled);
    },
    rolldown: bundlers.rolldown,
  };
  return {
    made,
    async size() {
      const remembered = rememberedBundlers(folder, file, counting);
      const code = 'export * from "@tenon/one";';
      const { minified } = await remembered.bundlers.esbuild({ code, folder, condition: "node" });
      remembered.save();
      return minified;
    },
  };
}

test("a program is bundled again when a package that it reaches has changed, and only then", async () => {
  const { folder, write } = project();
  const { made, size } = sizing(folder, join(folder, "sizes.json"));
  const first = await size();
  expect(await size()).toBe(first);
  write("three", "export const three = 33333;");
  expect(await size()).toBe(first);
  expect(made).toHaveLength(1);
  write("two", 'export const two = "another text";');
  expect(await size()).toBeGreaterThan(first);
  expect(made).toHaveLength(2);
});

test("a program is bundled again when the sizes were measured by other code", async () => {
  const { folder } = project();
  const file = join(folder, "sizes.json");
  const { made, size } = sizing(folder, file);
  const first = await size();
  const stored = JSON.parse(readFileSync(file, "utf8")) as object;
  writeFileSync(file, JSON.stringify({ ...stored, measuredBy: "other code" }));
  expect(await size()).toBe(first);
  expect(made).toHaveLength(2);
});
