import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { expect, test } from "vitest";

const root = join(import.meta.dirname, "../../..");

/** The limits of tests and of waits in them, in the forms in which tests set them. */
const limits: readonly (readonly [form: RegExp, least: number])[] = [
  [/(?:\.poll|vi\.wait(?:For|Until))\([^\n]*\btimeout: ([\d_]+)/g, 60_000],
  [/vi\.wait(?:For|Until)\([^\n]*, ([\d_]+)\);/g, 60_000],
  [/^ *\{ timeout: ([\d_]+)[^\n]*\},$/gm, 600_000],
  [/\b(?:test|it|beforeAll|afterAll)\b[^\n]*, \{ timeout: ([\d_]+) \}, /g, 600_000],
  [/^\}, ([\d_]+)\);$/gm, 600_000],
  [/^ +([\d_]{4,}),\n\);$/gm, 600_000],
  // Only openContext of test-support sets a limit. The empty group counts as 0.
  [/\bbrowser\.newContext\((?=())/g, 120_000],
  // Of the kit for transports. The checks of `operations` have limits of this name, too.
  [/\btransportConformance\([^;]*?\bcheckTimeoutMs: ([\d_]+)/g, 300_000],
];

/** Tests must not be less patient than `vitest.config.ts`: on a busy machine they would fail. */
function impatient(text: string): readonly string[] {
  return limits.flatMap(([form, least]) =>
    [...text.matchAll(form)]
      .filter(([, limit = ""]) => Number(limit.replaceAll("_", "")) < least)
      .map(([found]) => found.trim()),
  );
}

test("no test is less patient than the configuration", () => {
  const listed = execFileSync("git", ["ls-files", "-z", "*.test.ts", "*.test.tsx"], {
    cwd: root,
    encoding: "utf8",
  });
  const files = listed
    .split("\0")
    // A file that was removed is listed until the removal is committed.
    .filter((path) => existsSync(join(root, path)) && /\.tsx?$/.test(path))
    .filter((path) => !path.endsWith("/patience.test.ts"));
  expect(files.length).toBeGreaterThan(500);
  expect(
    files.flatMap((path) => impatient(readFileSync(join(root, path), "utf8")).map((each) => [path, each])),
  ).toEqual([]);
});

test("every form of a limit is found", () => {
  const text = [
    "await expect.poll(() => seen, { timeout: 20_000 }).toBe(1);",
    "await vi.waitFor(() => expect(seen).toBe(1), { interval: 5, timeout: 1000 });",
    "await vi.waitFor(() => expect(seen).toBe(1), 30_000);",
    "  { timeout: 120_000 },",
    'test("a", { timeout: 1000 }, () => {});',
    "}, 90_000);",
    "  60_000,\n);",
    "}, 900_000);",
    "transportConformance({ test }, pair, {\n  checkTimeoutMs: 30_000,\n});",
    "const context = await browser.newContext();",
  ].join("\n");
  expect(impatient(text)).toHaveLength(9);
});
