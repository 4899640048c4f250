import { readdirSync, readFileSync } from "node:fs";
import { join, relative, sep } from "node:path";

import ts from "typescript-6";

import { root } from "./paths.ts";

const blocks = new Set(["test", "it", "describe"]);

/** The test files of the repository, as paths from its root, without those of this tool. */
export function testFiles(): readonly string[] {
  return ["packages", "tools", "examples"]
    .flatMap((group) => readdirSync(join(root, group)).map((name) => join(root, group, name, "test")))
    .flatMap(filesUnder)
    .filter((file) => file.endsWith(".test.ts"))
    .map((file) => relative(root, file).replaceAll(sep, "/"))
    .filter((file) => !file.startsWith("tools/requirements/"))
    .toSorted();
}

/**
 * Returns the titles of the tests and test groups in a source text, as they are written there. The
 * strings in the rows of `test.each` count as titles, since they become part of one.
 */
export function titlesIn(text: string): readonly string[] {
  const titles: string[] = [];
  const file = ts.createSourceFile("a.test.ts", text, ts.ScriptTarget.Latest);
  visit(file);
  return titles;

  function visit(node: ts.Node): void {
    if (ts.isCallExpression(node) && blocks.has(calleeOf(node.expression))) {
      const [first] = node.arguments;
      if (first !== undefined && isText(first)) {
        titles.push(textOf(first));
      } else if (first !== undefined && ts.isArrayLiteralExpression(first)) {
        addTexts(first);
      }
    }
    ts.forEachChild(node, visit);
  }

  function addTexts(node: ts.Node): void {
    if (isText(node)) {
      titles.push(textOf(node));
    }
    ts.forEachChild(node, addTexts);
  }

  function textOf(node: ts.Node): string {
    return node.getText(file).slice(1, -1).replaceAll(/\s+/g, " ");
  }
}

function isText(node: ts.Node): boolean {
  return ts.isStringLiteralLike(node) || ts.isTemplateExpression(node);
}

/** `test` for `test(…)`, `test.each(…)(…)` and `test.skipIf(…)(…)`. */
function calleeOf(expression: ts.Expression): string {
  if (ts.isPropertyAccessExpression(expression) || ts.isCallExpression(expression)) {
    return calleeOf(expression.expression);
  }
  if (ts.isTaggedTemplateExpression(expression)) {
    return calleeOf(expression.tag);
  }
  return ts.isIdentifier(expression) ? expression.text : "";
}

function filesUnder(folder: string): string[] {
  try {
    return readdirSync(folder, { withFileTypes: true, recursive: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name));
  } catch {
    return [];
  }
}

/** Returns the titles of every test file, by file. */
export function readTitles(): ReadonlyMap<string, readonly string[]> {
  return new Map(testFiles().map((file) => [file, titlesIn(readFileSync(join(root, file), "utf8"))]));
}
