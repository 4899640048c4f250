import { readFileSync } from "node:fs";

import * as esbuild from "esbuild";
import { afterEach, expect, test, vi } from "vitest";

import { standardDecorators } from "../src/vite.ts";

const log = vi.spyOn(console, "log").mockImplementation(() => {});

afterEach(() => {
  log.mockClear();
});

test("the first example of the README prints what it says", async () => {
  await import("./readme/validate.ts");
  expect(log).toHaveBeenCalledExactlyOnceWith(
    "query: expected at least 1 character, received 0\n" +
      'limmit: the property "limmit" is not allowed; did you mean "limit"?',
  );
});

test("the README's four ways of writing a schema work together", async () => {
  await import("./readme/types.ts");
  expect(log).toHaveBeenCalledWith(2026);
  expect(log.mock.lastCall?.[0]).toBe(20);
  expect(log.mock.lastCall?.[1]).toMatchObject({ type: "object", required: ["place"] });
});

test("the README's plugin lowers decorators and leaves other modules alone", async () => {
  // The configuration of this repository runs the README's line. Here it would load Vite.
  expect(standardDecorators(esbuild)).toMatchObject({ name: "standard-decorators", enforce: "pre" });
  const { transform } = standardDecorators(esbuild);
  const decorated = 'class A { @string("x") a!: string }';
  for (const id of ["/app/a.ts", "/app/a.mts", "/app/a.tsx"]) {
    const lowered = await transform(decorated, id);
    expect(lowered?.code).not.toContain("@string");
    expect(JSON.parse(lowered?.map ?? "")).toMatchObject({ sources: [id] });
  }
  expect(await transform(decorated, "/app/node_modules/library/a.ts")).toBeNull();
  expect(await transform(decorated, "/app/a.js")).toBeNull();
  expect(await transform("const a = 1;", "/app/a.ts")).toBeNull();
  expect(await transform(" * @example find(1)", "/app/a.ts")).toBeNull();
});

test("the plugin gets esbuild from the project, so that no installation for production has it", () => {
  expect(() => standardDecorators(undefined as never)).toThrow("standardDecorators needs esbuild");
  // npm and pnpm keep an optional peer in production if anything else needs it for development.
  const manifest = readFileSync(new URL("../package.json", import.meta.url), "utf8");
  expect(JSON.parse(manifest)).not.toHaveProperty("peerDependencies");
});

test("the README's example of a format checks the format, and only if formats are asserted", async () => {
  await import("./readme/formats.ts");
  expect(log.mock.calls).toEqual([['mail: expected the format email, received "nobody"'], [true]]);
});
