import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";

import { samples, seed } from "@tenon/samples";
import * as fc from "fast-check";
import { rolldown } from "rolldown";
import { expect, test } from "vitest";

import { toModule, type ModuleOptions } from "../src/aot.ts";
import { compile, type JSONSchema } from "../src/index.ts";
import { pairs } from "./support/pairs.ts";
import { inTemporaryFolder } from "./support/temporary.ts";
import { compileTypeScript } from "./support/tsc.ts";

const runtime = new URL("../src/runtime.ts", import.meta.url).pathname;

/**
 * What a module answers for the values, by schema, in a process that cannot make code from strings.
 */
function answers(
  schemas: Readonly<Record<string, JSONSchema>>,
  values: Readonly<Record<string, readonly unknown[]>>,
  options: ModuleOptions = {},
): Promise<unknown> {
  return inTemporaryFolder(async (folder) => {
    const file = (name: string, text: string): string => {
      writeFileSync(join(folder, name), text);
      return join(folder, name);
    };
    file("checks.mjs", toModule(schemas, { ...options, runtime }));
    const input = file(
      "run.mjs",
      `import * as checks from "./checks.mjs";
      const answers = Object.entries(JSON.parse(${JSON.stringify(JSON.stringify(values))})).map(([name, list]) => [name, list.map((value) => checks["is" + name](value))]);
      console.log(JSON.stringify(Object.fromEntries(answers)));`,
    );
    const build = await rolldown({
      input,
      platform: "neutral",
      resolve: { conditionNames: ["@tenon/source", "import", "default"] },
    });
    const { output } = await build.generate({ format: "esm" });
    await build.close();
    const bundle = file("bundle.mjs", output[0].code);
    const flags = ["--disallow-code-generation-from-strings", bundle];
    return JSON.parse(execFileSync(process.execPath, flags, { encoding: "utf8" })) as unknown;
  });
}

/** Generated schemas with their instances, by name. */
function generated(
  count: number,
): (readonly [name: string, schema: JSONSchema, values: readonly unknown[]])[] {
  return fc
    .sample(pairs, { numRuns: samples(count), seed: seed() })
    .map(([schema, values], i) => [`S${i}`, schema, values]);
}

test.each([true, false])(
  "modules answer as compile does, and make no code from strings (locate: %s)",
  async (locate) => {
    const cases = generated(300);
    const schemas = Object.fromEntries(cases.map(([name, schema]) => [name, schema]));
    const values = Object.fromEntries(cases.map(([name, , list]) => [name, list]));
    const expected = Object.fromEntries(
      cases.map(([name, schema, list]) => [name, list.map((value) => compile(schema).is(value))]),
    );
    expect(await answers(schemas, values, { locate })).toEqual(expected);
  },
);

test("a schema may have the name of a format, and a constant a member called __proto__", async () => {
  const text = (format: string): JSONSchema => ({ type: "string", format });
  const constant = JSON.parse('{"__proto__":{"a":1},"b":[{"__proto__":null}]}') as unknown;
  const values = {
    Date: ["2026-01-31", "x"],
    Email: ["a@b.example", "x"],
    Constant: [constant, {}, { b: [{}] }],
    Listed: [constant, { b: [{}] }],
  };
  const schemas = {
    Date: text("date"),
    Email: text("email"),
    Constant: { const: constant },
    Listed: { enum: [constant, 1] },
  };
  expect(await answers(schemas, values, { formats: "assert" })).toEqual({
    Date: [true, false],
    Email: [true, false],
    Constant: [true, false, false],
    Listed: [true, false],
  });
});

test("modules in TypeScript compile under the strictest options", async () => {
  const schemas = Object.fromEntries(generated(150).map(([name, schema]) => [name, schema]));
  const strict = { noUnusedLocals: true, isolatedDeclarations: true, declaration: true };
  for (const locate of [true, false]) {
    const source = toModule(
      { ...schemas, Date: { format: "date" }, Constant: { const: JSON.parse('{"__proto__":1}') as unknown } },
      { language: "ts", locate, formats: "assert", runtime: "SOURCE/runtime.ts" },
    );
    expect((await compileTypeScript(source, strict)).errors).toEqual([]);
  }
});
