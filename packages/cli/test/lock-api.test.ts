import { writeFileSync } from "node:fs";
import { join } from "node:path";

import { expect, test } from "vitest";

import { program, temporaryFolder, tenon } from "./support.ts";

const text = { type: "string" };

/** A document with one operation for each path, whose parameters are the given ones. */
function document(paths: Readonly<Record<string, readonly string[]>>): string {
  const operations = Object.entries(paths).map(([path, required]) => [
    path,
    {
      get: {
        operationId: path.slice(1),
        parameters: required.map((name) => ({ name, in: "query", required: true, schema: text })),
        responses: { 204: { description: "Nothing" } },
      },
    },
  ]);
  return JSON.stringify({
    openapi: "3.1.0",
    info: { title: "t", version: "1" },
    paths: Object.fromEntries(operations),
  });
}

test("lock and diff show breaking and additive changes of an API document", async () => {
  const cwd = temporaryFolder();
  const path = join(cwd, "api.json");
  const server = program("api.mjs", path);
  writeFileSync(path, document({ "/books": ["author"], "/orders": [] }));
  expect((await tenon(["lock", ...server], { cwd })).code).toBe(0);
  expect((await tenon(["lock", "--check", ...server], { cwd })).code).toBe(0);

  writeFileSync(path, document({ "/books": ["author"], "/orders": [], "/covers": [] }));
  const additive = await tenon(["diff", "--fail-on", "breaking", "tenon.lock.json", ...server], { cwd });
  expect(additive.stdout).toMatch(/covers/);
  expect(additive.code).toBe(0);

  writeFileSync(path, document({ "/books": ["author", "year"] }));
  const breaking = await tenon(["diff", "--fail-on", "breaking", "tenon.lock.json", ...server], { cwd });
  expect(breaking.code).toBe(7);
  expect(breaking.stdout).toMatch(/books[^]*year/);
  expect(breaking.stdout).toMatch(/orders/);
});
