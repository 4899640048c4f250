import { execFileSync } from "node:child_process";
import { join } from "node:path";

import { expect, test } from "vitest";

import { findHits, hitsOf, lineOf } from "../src/prose/hits.ts";
import { isEnforced } from "../src/prose/rules.ts";
import { proseOfMarkdown, proseOfProgram, type Prose } from "../src/prose/text.ts";

const root = join(import.meta.dirname, "../../..");
const hits = findHits();
const enforced = hits.filter(({ rule }) => isEnforced(rule));

/** The number of hits of the other rules may only fall: lower it when it does. */
const ceiling = 348;

test("no line of prose breaks an enforced rule", () => {
  expect(enforced.map(lineOf)).toEqual([]);
});

test("the hits of rules that are not enforced do not increase", () => {
  const counted = hits.filter(({ rule }) => !isEnforced(rule));
  // Without a change, a commit has brought them.
  const changed = changedPaths();
  const listed = counted.filter(({ path }) => changed.has(path)).map(lineOf);
  const advice = `reword as many of the lines in changed files:\n${listed.join("\n")}`;
  expect(counted.length, advice).toBeLessThanOrEqual(ceiling);
});

/** The files that differ from the last commit, or that the last commit changed. */
function changedPaths(): ReadonlySet<string> {
  const git = (...args: readonly string[]): readonly string[] =>
    execFileSync("git", args, { cwd: root, encoding: "utf8" }).split("\n");
  const isShallow = git("rev-list", "--max-count=2", "HEAD").length < 3;
  return new Set([
    ...git("diff", "--name-only", isShallow ? "HEAD" : "HEAD~1"),
    ...git("ls-files", "--others", "--exclude-standard"),
  ]);
}

test("a comment of more than 100 columns is a hit, code and examples of that length are not", () => {
  const long = "word ".repeat(20);
  const code = [
    `// ${long}`,
    `const text = 1; // ${long}`,
    "/**",
    ` * ${long.slice(0, 90)}`,
    ` *   ${long}`,
    " * @example",
    ` * ${long}`,
    ` * @throws ${long}`,
    " */",
    "const other = 2;",
  ].join("\n");
  expect(ids("src/a.ts", proseOfProgram("a.ts", code))).toEqual(["L01:1", "L01:5", "L01:8"]);
});

const ids = (path: string, lines: readonly Prose[]): readonly string[] =>
  lines.flatMap((line) => hitsOf(path, line)).map(({ rule, line }) => `${rule.id}:${line}`);

test("comments and strings of three words or more are read, other code is not", () => {
  const code = [
    "/** Most bytes of a line. */",
    "const told = isTold; // nobody is told",
    "/**",
    " * Longest wait.",
    " */",
    'const short = "is told";',
    "throw new Error(`${name} is none`);",
    "const called = /is told/;",
  ].join("\n");
  expect(ids("src/a.ts", proseOfProgram("a.ts", code))).toEqual([
    "P02:1",
    "P06:2",
    "P11:2",
    "P02:4",
    "P01:7",
  ]);
});

test("a page is read outside of its fences and comments", () => {
  const page = ["- Most servers", "```ts", "// is told", "```", "<!-- is told", "-->", "It is told."].join(
    "\n",
  );
  expect(ids("docs/a.md", proseOfMarkdown(page))).toEqual(["P02:1", "P06:7"]);
});

test("words in code font are names, numbers and codes in it are not", () => {
  const page = ["Call `told` or `behaviour`.", "It is `−32602` or `60 000`."].join("\n");
  expect(ids("docs/a.md", proseOfMarkdown(page))).toEqual(["P27:2", "P28:2"]);
});

test("a sentence with there may be no is not a hit", () => {
  const page = "There may be no display.\nThere is no display.\nIt is no display.";
  expect(ids("docs/a.md", proseOfMarkdown(page))).toEqual(["P01:3"]);
});

test("names of files are not prose", () => {
  const page = "See [fulfil.lazy](fulfil.lazy.ts). It is recognised.\nIt is about fulfil.";
  expect(ids("docs/a.md", proseOfMarkdown(page))).toEqual(["P29:1", "P29:2"]);
  expect(ids("docs/a.md", proseOfMarkdown("See [fulfil.lazy](fulfil.lazy.ts)."))).toEqual([]);
});

test("some rules are for messages or changesets only", () => {
  const code = '// A root has a scheme.\nthrow new Error("A root has a scheme.");';
  expect(ids("src/a.ts", proseOfProgram("a.ts", code))).toEqual(["E01:2"]);
  const changeset = proseOfMarkdown("This used to fail.");
  expect(ids("docs/a.md", changeset)).toEqual([]);
  expect(ids(".changeset/a.md", changeset)).toEqual(["C01:1"]);
});
