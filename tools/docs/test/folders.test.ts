import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

import { expect, test } from "vitest";

import { arrowsIn, floorOf, folders, type Arrow } from "../src/arrows.ts";

const src = join(import.meta.dirname, "../../../packages/mcp/src");
const arrows = arrowsIn(src);
const written = (some: readonly Arrow[]): readonly string[] =>
  some.map(({ from, to, kind }) => `${from} -> ${to} (${kind})`);
const files = readdirSync(src, { recursive: true, encoding: "utf8" })
  .map((path) => path.replaceAll("\\", "/"))
  .filter((path) => path.endsWith(".ts"));

/** The side on which a file works, if it is in a folder of one side. */
const sideOf = (path: string): string | undefined => /\/(client|server)\//.exec(path)?.[1];

/** As {@link sideOf}, also for the first file of a side. */
const sideWith = (path: string): string | undefined => /\/(client|server)(?:\/|\.ts$)/.exec(path)?.[1];

/** The sides that use a file, directly or through files that belong to no side. */
function sidesOf(path: string): ReadonlySet<string> {
  const sides = new Set<string>();
  const reached = new Set([path]);
  for (const used of reached) {
    for (const { from } of arrows.filter(({ to }) => to === used)) {
      const side = sideWith(from);
      if (side === undefined) {
        reached.add(from);
      } else {
        sides.add(side);
      }
    }
  }
  return sides;
}

test("every file of mcp is in one of the folders", () => {
  expect(files.length).toBeGreaterThan(150);
  expect(files.filter((path) => floorOf(path) === -1)).toEqual([]);
});

test("no import in mcp points upwards, at run time or in types", () => {
  expect(arrows.length).toBeGreaterThan(500);
  expect(written(arrows.filter(({ from, to }) => floorOf(to) > floorOf(from)))).toEqual([]);
});

test("what is in a folder for clients imports nothing from a folder for servers, nor the other way round", () => {
  const crossing = arrows.filter(({ from, to }) => {
    const [one, other] = [sideOf(from), sideOf(to)];
    return one !== undefined && other !== undefined && one !== other;
  });
  expect(written(crossing)).toEqual([]);
});

test("what is loaded later is called .lazy.ts, and nothing that is loaded at once imports it", () => {
  const later = arrows.filter(({ kind }) => kind === "later");
  expect(later.length).toBeGreaterThan(5);
  expect(written(later.filter(({ to }) => !to.endsWith(".lazy.ts")))).toEqual([]);
  const atOnce = arrows.filter(({ to, kind }) => kind === "now" && to.endsWith(".lazy.ts"));
  expect(written(atOnce)).toEqual([]);
});

test("a feature has a file for each of its sides, and directly beside them only what both sides use", () => {
  const direct = files.filter((path) => /^feature\/[^/]+\/[^/]+$/.test(path));
  const features = new Set(direct.map((path) => path.slice(0, path.lastIndexOf("/") + 1)));
  expect(features.size).toBeGreaterThan(10);
  for (const feature of features) {
    const own = direct.filter((path) => path.startsWith(feature));
    const ofTheFeature = (path: string): boolean => /\/(client|server|define|registry)\.ts$/.test(path);
    expect(own.filter(ofTheFeature), feature).not.toEqual([]);
    for (const path of own.filter((each) => !ofTheFeature(each))) {
      expect(sidesOf(path), path).toEqual(new Set(["client", "server"]));
    }
  }
});

test("a folder of more than eight files is of one side, or of what both sides use", () => {
  const sizes = new Map<string, number>();
  for (const path of files) {
    sizes.set(dirname(path), (sizes.get(dirname(path)) ?? 0) + 1);
  }
  // Each protocol version is a file of `revisions`.
  const mixed = [...sizes].filter(
    ([folder, size]) => size > 8 && folder !== "revisions" && !/\/(client|server)$/.test(folder),
  );
  expect(mixed.map(([folder]) => folder).toSorted()).toEqual(["base", "request"]);
});

test("a file of fewer than 15 lines is an entry, of the package or of what is loaded later, or a revision", () => {
  const small = files.filter(
    (path) =>
      floorOf(path) < folders.indexOf("entry") &&
      !path.endsWith(".lazy.ts") &&
      !path.startsWith("revisions/") &&
      readFileSync(join(src, path), "utf8").trimEnd().split("\n").length < 15,
  );
  expect(small).toEqual([]);
});

test("half of the files have at most 120 lines, 19 of 20 at most 250, 99 of 100 at most 350, none more than 500, and fewer than a tenth under 20", () => {
  const lengths = files
    .map((path) => readFileSync(join(src, path), "utf8").trimEnd().split("\n").length)
    .toSorted((a, b) => a - b);
  const lengthAt = (share: number): number => lengths[Math.ceil(lengths.length * share) - 1] ?? 0;
  expect(lengthAt(0.5)).toBeLessThanOrEqual(120);
  expect(lengthAt(0.95)).toBeLessThanOrEqual(250);
  expect(lengthAt(0.99)).toBeLessThanOrEqual(350);
  expect(lengthAt(1)).toBeLessThanOrEqual(500);
  const short = files.filter(
    (path) =>
      !path.startsWith("revisions/") &&
      readFileSync(join(src, path), "utf8").trimEnd().split("\n").length < 20,
  );
  expect(short.length / lengths.length).toBeLessThan(0.1);
});

test("imports of every form are found", () => {
  const folder = mkdtempSync(join(tmpdir(), "arrows-"));
  const write = (path: string, text: string): void => {
    mkdirSync(join(folder, dirname(path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  };
  write(
    "base/a.ts",
    [
      'import { b } from "../session/b.ts";',
      'import type { C } from "../session/c.ts";',
      'import { type D, type E } from "./d.ts";',
      'import {\n  f,\n  type G,\n} from "./f.ts";',
      'export * from "../entry/h.ts";',
      'import "./i.ts";',
      'const load = () => import("./j.lazy.ts");',
      'type K = typeof import("./k.ts");',
      '// Such as import("./comment.ts").',
    ].join("\n"),
  );
  try {
    expect(written(arrowsIn(folder))).toEqual([
      "base/a.ts -> session/b.ts (now)",
      "base/a.ts -> session/c.ts (type)",
      "base/a.ts -> base/d.ts (type)",
      "base/a.ts -> base/f.ts (now)",
      "base/a.ts -> entry/h.ts (now)",
      "base/a.ts -> base/i.ts (now)",
      "base/a.ts -> base/j.lazy.ts (later)",
      "base/a.ts -> base/k.ts (type)",
    ]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
