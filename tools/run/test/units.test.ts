import { execFile, execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";

import { afterAll, expect, test } from "vitest";

import { contentOf, contentsOf, memberOf } from "../members.mjs";
import { undeclaredReads } from "../reads.mjs";
import { declaredBy, matches, openRecord, units, type Unit } from "../units.mjs";

const root = join(import.meta.dirname, "../../..");
const copy = mkdtempSync(join(tmpdir(), "tenon-units-"));
execFileSync("git", ["clone", "--quiet", "--shared", root, copy]);
const contents = contentsOf(copy);
const before = units(copy, contents);

afterAll(() => rmSync(copy, { recursive: true }));

/** The names of the units that a change makes due. */
function changedBy(path: string): readonly string[] {
  const changed = new Map(contents).set(
    path,
    contentOf(path, Buffer.from(`${readFileSync(join(copy, path), "utf8")}\n`)),
  );
  const now = new Map(units(copy, changed).map(({ name, hash }) => [name, hash]));
  return before.filter(({ name, hash }) => now.get(name) !== hash).map(({ name }) => name);
}

interface Manifest {
  readonly name: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

/** The members whose manifests name a package, and those that name them in turn. */
function dependantsOf(name: string): readonly string[] {
  const manifests = before
    .filter((unit) => unit.name === unit.directory)
    .map(({ directory }) => ({
      directory,
      ...(JSON.parse(readFileSync(join(copy, directory, "package.json"), "utf8")) as Manifest),
    }));
  const found = new Set([name]);
  for (const each of found) {
    for (const { name: user, dependencies, devDependencies, peerDependencies } of manifests) {
      if (each in { ...dependencies, ...devDependencies, ...peerDependencies }) {
        found.add(user);
      }
    }
  }
  return manifests.filter((manifest) => found.has(manifest.name)).map(({ directory }) => directory);
}

/** The packages of this workspace that a test file imports, also by files beside it. */
function importsOf(path: string): readonly string[] {
  const files = new Set([join(copy, path)]);
  const names = new Set<string>();
  for (const file of files) {
    const text = existsSync(file) ? readFileSync(file, "utf8") : "";
    for (const [, specifier = ""] of text.matchAll(/(?:from|import)\s*\(?\s*"([^"]+)"/g)) {
      if (specifier.startsWith("./") || specifier.startsWith("../")) {
        files.add(join(dirname(file), specifier));
      } else if (specifier.startsWith("@tenon/")) {
        names.add(specifier.split("/", 2).join("/"));
      }
    }
  }
  return [...names];
}

/** The folder of a package. */
function directoryOf(name: string): string {
  const found = before.find(
    ({ directory }) =>
      existsSync(join(copy, directory, "package.json")) && manifestOf(directory).name === name,
  );
  return found?.directory ?? name;
}

const manifestOf = (directory: string): Manifest =>
  JSON.parse(readFileSync(join(copy, directory, "package.json"), "utf8")) as Manifest;

test("a change of the lowest package makes it and all its dependants due", () => {
  const due = changedBy("packages/base/src/index.ts");
  const dependants = dependantsOf("@tenon/base");
  expect(dependants.length).toBeGreaterThan(40);
  expect(due).toEqual(expect.arrayContaining([...dependants]));
});

test("a change of a package at the top makes it due, and what reads all sources, but no other package", () => {
  const due = changedBy("packages/express/src/index.ts");
  expect(due).toEqual(
    expect.arrayContaining([
      "packages/express",
      "tools/docs/test/exports.test.ts",
      "tools/codegen/test/literals.test.ts",
    ]),
  );
  expect(due).not.toContain("packages/mcp");
  expect(due).not.toContain("tools/consumers/test/typegen.test.ts");
  expect(due).not.toContain("tools/codegen/test/generate.test.ts");
});

test.each(["packages/jsonrpc2/src/index.ts", "examples/clock/src/clock.ts", "docs/tools.md", "LICENSE"])(
  "the tests of the scripts, which look at the whole workspace, are due when %s has changed",
  (path) => {
    expect(changedBy(path)).toContain("scripts");
  },
);

test("a test file that is set apart is due when a package that it imports has changed", () => {
  const members = new Set(before.map(({ directory }) => directory));
  const missing = before
    .filter(({ name, directory }) => name !== directory)
    .flatMap((unit) =>
      importsOf(unit.name)
        .map((name) => directoryOf(name))
        .filter((directory) => !declaredBy(unit, members)(`${directory}/src/index.ts`))
        .map((directory) => `${unit.name} imports ${directory}`),
    );
  expect(missing).toEqual([]);
});

test("a test file does not use what another file of the name that it imports uses", () => {
  expect(changedBy("packages/otel/src/values.ts")).toContain("tools/interop/test/one-trace.test.ts");
  expect(changedBy("packages/otel/src/values.ts")).not.toContain("tools/interop/test/broker.test.ts");
});

test("a change of a test makes its member due, and none of its dependants", () => {
  const due = changedBy("packages/mcp/test/tool-budget.test.ts");
  expect(due).toContain("packages/mcp");
  expect(due).not.toContain("packages/tasks");
});

test("a change of a page makes the tests of the documentation due", () => {
  const due = changedBy("README.md");
  const members = new Set(due.filter((name) => name !== "scripts").map((name) => memberOf(name)));
  expect([...members].sort()).toEqual(["tools/docs", "tools/registry", "tools/release", "tools/site"]);
  expect(due).toEqual(expect.arrayContaining(["tools/docs/test/prose.test.ts", "tools/registry", "scripts"]));
  expect(changedBy("docs/tools.md")).toContain("tools/docs/test/pages.test.ts");
});

test.each(["vitest.config.ts", "pnpm-lock.yaml", "tools/run/bundle.mjs"])(
  "a change of %s makes everything due",
  (path) => {
    expect(changedBy(path)).toHaveLength(before.length);
  },
);

test("what has passed is due again when its hash differs", () => {
  const record = openRecord(copy);
  const [one, other] = before as [Unit, Unit];
  record.add("tests", [one]);
  expect(openRecord(copy).due("tests", [one, other])).toEqual([other]);
  expect(openRecord(copy).due("lint", [one])).toEqual([one]);
  const changed = { ...one, hash: "other" };
  expect(openRecord(copy).due("tests", [changed])).toEqual([changed]);
});

test("a read that no change makes due is reported", () => {
  const reads = join(copy, "reads.log");
  const lines = [
    ["packages/express/test/express.test.ts", "packages/express/src/index.ts"],
    ["packages/express/test/express.test.ts", "packages/mcp/dist/index.js"],
    ["packages/express/test/express.test.ts", "tsconfig.json"],
    ["packages/express/test/express.test.ts", "not/tracked.txt"],
    ["packages/express/test/express.test.ts", "packages/cli/src/main.ts"],
    ["packages/express/test/express.test.ts", "docs/tools.md"],
  ];
  writeFileSync(reads, lines.map((line) => line.join("\t")).join("\n"));
  expect(undeclaredReads(copy, reads, before)).toEqual([
    "The tests of packages/express read docs/tools.md, which tools/run/inputs.mjs does not declare.",
    "The tests of packages/express read packages/cli/src/main.ts, which tools/run/inputs.mjs does not declare.",
  ]);
});

test("what tests read is recorded under the file of the test, and its declaration is compared", async () => {
  const reads = join(copy, "recorded.log");
  const file = "packages/jsonrpc2/test/entries.test.ts";
  const vitest = join(root, "node_modules/vitest/vitest.mjs");
  await promisify(execFile)(process.execPath, [vitest, "run", file], {
    cwd: root,
    env: { ...process.env, TENON_READS: reads },
  });
  const lines = readFileSync(reads, "utf8").trim().split("\n");
  expect(lines.length).toBeGreaterThan(1000);
  expect(lines.filter((line) => !line.startsWith(`${file}\tpackages/`))).toEqual([]);
  const all = units(root);
  expect(undeclaredReads(root, reads, all)).toEqual([]);
  const undeclaring = all.map((unit) => (unit.name === file ? { ...unit, name: "nothing" } : unit));
  expect(undeclaredReads(root, reads, undeclaring).length).toBeGreaterThan(1000);
});

test("a star is a name, two are everything below", () => {
  expect(matches("packages/*/src/**", "packages/mcp/src/a/b.ts")).toBe(true);
  expect(matches("packages/*/src/**", "packages/mcp/test/a.ts")).toBe(false);
  expect(matches("*.md", "docs/a.md")).toBe(false);
  expect(matches("*.md", "READMEXmd")).toBe(false);
});
