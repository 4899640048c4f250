import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { revisions } from "@tenon/protocol";
import ts from "typescript-6";
import { expect, test } from "vitest";

import { root } from "./support.ts";

/**
 * What may name revisions: generated code, the rules of each, and the module that finds the ends of
 * the list.
 */
const exempt = [
  /^protocol\/src\/gen\//,
  /^protocol\/src\/revisions\.ts$/,
  /^mcp\/src\/revisions\/(?:\d{4}-\d{2}-\d{2}|table)\.ts$/,
];

/**
 * How many revisions the tests of a package may name in their code. A test of all modern or all
 * legacy revisions says `modernRevision` or `legacyRevision` of `@tenon/test-support`. What is left
 * tests a rule of one revision. A number may fall, and never grow.
 */
const inTests: Readonly<Record<string, number>> = {
  auth: 4,
  cli: 15,
  host: 1,
  inspector: 8,
  jsonschema: 1,
  mcp: 137,
  sdk: 6,
  "transports-streamable-http": 23,
};

const anyName = new RegExp(`${revisions.join("|")}|\\blatest\\b`);

/** The names of revisions, and of the newest one, that a module has in its code. */
function namedIn(text: string): string[] {
  // To parse every module takes four seconds.
  if (!anyName.test(text)) {
    return [];
  }
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isStringLiteralLike(node) || ts.isTemplateLiteralToken(node)) {
      found.push(...revisions.filter((revision) => node.text.includes(revision)));
    } else if (ts.isImportSpecifier(node) && (node.propertyName ?? node.name).text === "latest") {
      found.push("latest");
    }
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile("module.ts", text, ts.ScriptTarget.Latest));
  return found;
}

const packages = join(root, "packages");

/** The modules in a folder of a package, as paths from `packages`. */
function modules(name: string, folder: "src" | "test"): string[] {
  return readdirSync(join(packages, name, folder), { recursive: true, encoding: "utf8" })
    .map((path) => [name, folder, path].join("/").replaceAll("\\", "/"))
    .filter((path) => path.endsWith(".ts"));
}

function read(path: string): string {
  return readFileSync(join(packages, path), "utf8");
}

test("no source names a revision or the newest one: what depends on it is data", () => {
  const files = readdirSync(packages)
    .flatMap((name) => modules(name, "src"))
    .filter((path) => !exempt.some((pattern) => pattern.test(path)));
  expect(files.length).toBeGreaterThan(400);
  const naming = files.flatMap((path) => namedIn(read(path)).map((name) => `${path}: ${name}`));
  expect(naming).toEqual([]);
});

/** The tables of error codes. */
const codeTables = ["jsonrpc2/src/error.ts", "protocol/src/error-code.ts"];

/** The error codes that a module writes as numbers: those that JSON-RPC reserves. */
function codesIn(text: string): number[] {
  const found: number[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isPrefixUnaryExpression(node) && /^-32\d{3}$/.test(node.getText())) {
      found.push(Number(node.getText()));
    }
    ts.forEachChild(node, visit);
  };
  if (/-32\d{3}/.test(text)) {
    visit(ts.createSourceFile("module.ts", text, ts.ScriptTarget.Latest, true));
  }
  return found;
}

test("sources name error codes by ErrorCode and McpErrorCode: no code is written as a number", () => {
  const coding = readdirSync(packages)
    .flatMap((name) => modules(name, "src"))
    .filter((path) => !codeTables.includes(path) && !path.includes("/gen/"))
    .flatMap((path) => codesIn(read(path)).map((code) => `${path}: ${code}`));
  expect(coding).toEqual([]);
  expect(codeTables.flatMap((path) => codesIn(read(path))).length).toBeGreaterThan(9);
});

test("tests say modern and legacy: those that name a revision become no more", () => {
  const more = readdirSync(packages)
    .filter((name) => name !== "protocol")
    .flatMap((name) => {
      const named = modules(name, "test").flatMap((path) => namedIn(read(path)));
      const count = named.filter((revision) => revision !== "latest").length;
      return count > (inTests[name] ?? 0) ? [`${name}: ${count}`] : [];
    });
  expect(more).toEqual([]);
});

test.each([
  [`if (version >= "2025-11-25") {}`, "2025-11-25"],
  ["const text = `since 2025-06-18 ${x}`;", "2025-06-18"],
  [`import { latest } from "@tenon/protocol";`, "latest"],
  [`import { latest as modern } from "@tenon/protocol";`, "latest"],
])("the code %s names %s", (text, name) => {
  expect(namedIn(text)).toEqual([name]);
});

test("comments may name revisions", () => {
  expect(namedIn("/** Since 2025-06-18. */\nconst one = 1; // until 2025-11-25")).toEqual([]);
});
