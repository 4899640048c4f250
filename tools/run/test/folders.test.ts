import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize, relative, sep } from "node:path";

import { expect, test } from "vitest";

const packages = join(import.meta.dirname, "../../../packages");
const specifier = /(?:\bfrom\s+|\bimport\s*\(\s*|\bimport\s+)["'](\.[^"']+)["']/g;

/** The rooms of a package: its folders, and each file at its root. */
function roomOf(file: string): string {
  const [first = "", ...rest] = file.split(sep);
  return rest.length === 0 ? first.replace(/(?:\.lazy)?\.tsx?$/, "") : `${first}/`;
}

/** The rooms that each room imports from, also for types, with a file that does. */
function arrowsOf(source: string): ReadonlyMap<string, ReadonlyMap<string, string>> {
  const arrows = new Map<string, Map<string, string>>();
  for (const file of readdirSync(source, { recursive: true, encoding: "utf8" })) {
    if (/\.tsx?$/.test(file)) {
      for (const [, path = ""] of readFileSync(join(source, file), "utf8").matchAll(specifier)) {
        const from = roomOf(file);
        const to = roomOf(relative(source, normalize(join(source, dirname(file), path))));
        if (from !== to) {
          arrows.set(from, (arrows.get(from) ?? new Map<string, string>()).set(to, file));
        }
      }
    }
  }
  return arrows;
}

/** The imports that are part of a cycle. */
function backward(arrows: ReadonlyMap<string, ReadonlyMap<string, string>>): readonly string[] {
  const reaches = (from: string, wanted: string): boolean => {
    const seen = new Set([from]);
    for (const room of seen) {
      [...(arrows.get(room)?.keys() ?? [])].forEach((next) => seen.add(next));
    }
    return seen.has(wanted);
  };
  return [...arrows].flatMap(([from, targets]) =>
    [...targets].flatMap(([to, file]) => (reaches(to, from) ? [`${file} (${from} → ${to})`] : [])),
  );
}

test.each(readdirSync(packages))(
  "the folders of %s can be ordered so that all imports point down",
  (name) => {
    expect(backward(arrowsOf(join(packages, name, "src")))).toEqual([]);
  },
);

test("a way back is found", () => {
  const arrows = new Map([
    ["a/", new Map([["b/", "a/one.ts"]])],
    ["b/", new Map([["c", "b/two.ts"]])],
    ["c", new Map([["a/", "c.ts"]])],
    ["d/", new Map([["a/", "d/three.ts"]])],
  ]);
  expect(backward(arrows)).toEqual(["a/one.ts (a/ → b/)", "b/two.ts (b/ → c)", "c.ts (c → a/)"]);
});
