import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { expect, test } from "vitest";

import { views } from "../src/page/view-table.ts";

const page = join(import.meta.dirname, "../src/page");

test("no two commands of the page have the same key", () => {
  const sources = readdirSync(page, { recursive: true, encoding: "utf8" }).filter((path) =>
    /\.tsx?$/.test(path),
  );
  const ofCommands = sources
    .flatMap((path) => [...readFileSync(join(page, path), "utf8").matchAll(/\bkeys: "([^"]+)"/g)])
    // `/` alone is a key, too.
    .flatMap(([, keys = ""]) => keys.split(" / "));
  const keys = [...ofCommands, ...views.map(([, , key]) => key)];
  expect(ofCommands.length).toBeGreaterThan(15);
  expect(keys.filter((key, index) => keys.indexOf(key) !== index)).toEqual([]);
});
