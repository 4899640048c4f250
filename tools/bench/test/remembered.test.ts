import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
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

test("a program is bundled again when a package that it reaches has changed, and only then", async () => {
  const { folder, write } = project();
  const made: string[] = [];
  const counting = {
    esbuild: (bundled: Bundled) => {
      made.push(bundled.code);
      return bundlers.esbuild(bundled);
    },
    rolldown: bundlers.rolldown,
  };
  const code = 'export * from "@tenon/one";';
  const size = async (): Promise<number> => {
    const remembered = rememberedBundlers(folder, join(folder, "sizes.json"), counting);
    const { minified } = await remembered.bundlers.esbuild({ code, folder, condition: "node" });
    remembered.save();
    return minified;
  };
  const first = await size();
  expect(await size()).toBe(first);
  write("three", "export const three = 33333;");
  expect(await size()).toBe(first);
  expect(made).toHaveLength(1);
  write("two", 'export const two = "another text";');
  expect(await size()).toBeGreaterThan(first);
  expect(made).toHaveLength(2);
});
