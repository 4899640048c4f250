import { readFileSync } from "node:fs";

import { expect, test } from "vitest";

import { codeBlocks, executable, exists, pages, pathOf, sourceOf } from "../src/markdown.ts";

const blocks = pages().flatMap((page) =>
  codeBlocks(readFileSync(page, "utf8"))
    .filter(({ language }) => executable.has(language))
    .map((block) => ({ ...block, at: `${pathOf(page)}:${block.line}` })),
);

test("there are pages with code", () => {
  expect(blocks.length).toBeGreaterThan(0);
});

test.each(blocks)("the code at $at is compiled and run", ({ code, source, runBy, at }) => {
  if (source !== undefined) {
    expect(code).toBe(sourceOf(source));
  } else if (runBy !== undefined) {
    expect(exists(runBy)).toBe(true);
  } else {
    throw new Error(
      `The block at ${at} does not say what proves it; put <!-- region: path#name --> above it.`,
    );
  }
});
