import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { expect, test } from "vitest";

import { createNode } from "../src/ir/node.ts";

/** The text of a file, or of all files of a folder. */
function textOf(place: string): string {
  const path = join(import.meta.dirname, place);
  return place.endsWith(".ts")
    ? readFileSync(path, "utf8")
    : readdirSync(path, { recursive: true, encoding: "utf8" })
        .filter((name) => name.endsWith(".ts"))
        .map((name) => readFileSync(join(path, name), "utf8"))
        .join("\n");
}

/** Properties of a node that are not the value of a keyword. */
const notKeywords =
  "id schema resource pointer scope names types hasConst alias recursive fuel children inPlace twin content ref dynamicRef";

const nowhere: unknown = undefined;
const node = createNode(0, true, nowhere as never, "", nowhere as never, undefined);
const keywords = Object.keys(node).filter((name) => !notKeywords.split(" ").includes(name));

/** Where every keyword must be named, and the keywords that need not be. */
const places: readonly (readonly [place: string, except: string])[] = [
  ["../src/closures", ""],
  ["../src/codegen", ""],
  ["../src/report", ""],
  // Samples that match do not need them.
  ["../src/generate", "maxContains unevaluatedProperties"],
  // What `fuzz.test.ts` generates.
  ["support/pairs.ts", "exclusiveMinimum format maximum"],
];

test.each(places)("%s handles every keyword of ir/node.ts", (place, except) => {
  const text = textOf(place);
  const exceptions = new Set(except.split(" "));
  const missing = keywords.filter((name) => !exceptions.has(name) && !new RegExp(`\\b${name}\\b`).test(text));
  expect(missing, "see “Add a keyword of JSON Schema” in docs/architecture.md").toEqual([]);
});
