import { readFileSync } from "node:fs";

import { expect, test } from "vitest";

import { codeBlocks, executable, exists, pages, pathOf, synchronised } from "../src/markdown.ts";

const blocks = pages().flatMap((page) => {
  const markdown = readFileSync(page, "utf8");
  const current = codeBlocks(synchronised(page, markdown));
  return codeBlocks(markdown)
    .map((block, index) => ({
      ...block,
      at: `${pathOf(page)}:${block.line}`,
      expected: current[index]?.code,
    }))
    .filter(({ language }) => executable.has(language));
});

test("there are pages with code", () => {
  expect(blocks.length).toBeGreaterThan(0);
});

test("every marker of code is followed by code", () => {
  const empty = pages().flatMap((page) => {
    const markers = readFileSync(page, "utf8").matchAll(
      /<!-- (?:region|run by): (\S+) -->(?!\n+(?:<!-- run by|```))/g,
    );
    return [...markers].map(([, source]) => `${pathOf(page)}: ${source}`);
  });
  expect(empty).toEqual([]);
});

test("no page has conflicts of a merge", () => {
  const conflicts = pages().filter((page) => /^(?:<{7}|>{7}) /m.test(readFileSync(page, "utf8")));
  expect(conflicts.map(pathOf)).toEqual([]);
});

test.each(blocks)("the code at $at is compiled and run", ({ code, expected, source, runBy, at }) => {
  if (source !== undefined) {
    expect(code, "out of date: pnpm --filter @tenon/docs run sync").toBe(expected);
  } else if (runBy !== undefined) {
    expect(exists(runBy)).toBe(true);
  } else {
    throw new Error(
      `The block at ${at} does not say what proves it; put <!-- region: path#name --> above it.`,
    );
  }
});

test.each(["packages", "mcp"])("the drawing of %s follows the imports", (name) => {
  const page = pages().find((path) => pathOf(path) === "docs/architecture.md") ?? "";
  const drawn = (markdown: string): string | undefined =>
    new RegExp(`<!-- drawing: ${name} -->\\n+\`\`\`mermaid\\n([\\s\\S]*?)\`\`\``).exec(markdown)?.[1];
  const markdown = readFileSync(page, "utf8");
  expect(drawn(markdown)).toContain("-->");
  expect(drawn(markdown), "out of date: pnpm --filter @tenon/docs run sync").toBe(
    drawn(synchronised(page, markdown)),
  );
});

test("the numbers of README are those of the last run", () => {
  const page = pages().find((path) => pathOf(path) === "README.md") ?? "";
  const numbers = (markdown: string): readonly string[] => [
    /^Measured, with .*$/m.exec(markdown)?.[0] ?? "",
    /<!-- speed -->[\s\S]*<!-- end of speed -->/.exec(markdown)?.[0] ?? "",
  ];
  const markdown = readFileSync(page, "utf8");
  expect(numbers(markdown).every((part) => /\d KB/.test(part))).toBe(true);
  expect(numbers(markdown), "out of date: pnpm --filter @tenon/docs run sync").toEqual(
    numbers(synchronised(page, markdown)),
  );
});
