import { samples } from "@tenon/samples";
import fc from "fast-check";
import { expect, test } from "vitest";

import { looksLikeMarkdown, parseMarkdown, type Block, type Inline } from "../src/page/result/markdown.ts";

/** The text of blocks, without their signs. */
function textOf(blocks: readonly Block[]): string {
  const inline = (parts: readonly Inline[]): string =>
    parts.map((part) => ("content" in part ? inline(part.content) : part.text)).join("");
  return blocks
    .map((block): string => {
      switch (block.kind) {
        case "heading":
        case "paragraph":
          return inline(block.content);
        case "code":
          return `${block.language}\n${block.text}`;
        case "rule":
          return "";
        case "quote":
          return textOf(block.content);
        case "list":
          return block.items.map(textOf).join("\n");
        case "table":
          return [block.head, ...block.rows].map((row) => row.map(inline).join(" ")).join("\n");
      }
    })
    .join("\n");
}

test("a picture of Markdown is a link, without its exclamation mark", () => {
  const [block] = parseMarkdown("![p](https://x.test/p.png)!");
  expect(block?.kind === "paragraph" && block.content).toEqual([
    { kind: "link", text: "p", url: "https://x.test/p.png" },
    { kind: "text", text: "!" },
  ]);
});

test("headings, lists, tables, code and quotes become blocks", () => {
  const text =
    "# One\n\ntext\n- a\n  - b\n- c\n\n```js\nx < 1\n```\n> said\n\n| h | i |\n|---|:-:|\n| 1 | 2 |\n\n---\n3. three";
  expect(parseMarkdown(text)).toMatchObject([
    { kind: "heading", level: 1 },
    { kind: "paragraph" },
    {
      kind: "list",
      isOrdered: false,
      items: [[{ kind: "paragraph" }, { kind: "list" }], [{ kind: "paragraph" }]],
    },
    { kind: "code", text: "x < 1" },
    { kind: "quote" },
    { kind: "table", head: [[{ text: "h" }], [{ text: "i" }]], rows: [[[{ text: "1" }], [{ text: "2" }]]] },
    { kind: "rule" },
    { kind: "list", isOrdered: true, start: 3 },
  ]);
});

test.each([
  ["**a *b* c**", ["strong"]],
  ["a_b_c 2 * 3 * 4", ["text"]],
  ["`a*b*` [t](https://x.test/a)", ["code", "text", "link"]],
  ["[t](javascript:alert(1)) ![p](https://x.test/p.png)", ["text", "link"]],
  ["<img src=x onerror=alert(1)> \\*no\\*", ["text"]],
  ["see https://x.test/a.", ["text", "link", "text"]],
] as const)("the line %s", (line, kinds) => {
  const [block] = parseMarkdown(line);
  expect(block?.kind === "paragraph" && block.content.map(({ kind }) => kind)).toEqual(kinds);
});

test("no text is lost, and only addresses of the web become links", () => {
  const word = fc.constantFrom(
    "a",
    "é",
    "*",
    "_",
    "`",
    "[",
    "](",
    "javascript:x",
    "<b>",
    "\n",
    " ",
    "- ",
    "|",
    "> ",
    "1. ",
    "```",
    "\\",
    "https://x.test/",
  );
  fc.assert(
    fc.property(fc.array(word, { maxLength: 60 }), (words) => {
      const text = words.join("");
      const blocks = parseMarkdown(text);
      const letters = (some: string): string => some.replaceAll(/[^aé]/g, "");
      expect(letters(textOf(blocks))).toBe(letters(text));
      const links = JSON.stringify(blocks).match(/"url":"[^"]*"/g) ?? [];
      expect(links.filter((url) => !url.startsWith('"url":"https://'))).toEqual([]);
    }),
    { numRuns: samples(300) },
  );
});

test.each([
  ["stars", "*a ".repeat(20_000)],
  ["underscores", "_a_".repeat(20_000)],
  ["brackets", "[".repeat(60_000)],
  ["ticks", Array.from({ length: 340 }, (_, index) => "`".repeat(index)).join("a")],
  ["quotes", "> ".repeat(30_000)],
  ["numbers", "1. ".repeat(20_000)],
  ["nested items", Array.from({ length: 340 }, (_, index) => `${" ".repeat(index)}- a`).join("\n")],
  ["spaces", `# ${" ".repeat(60_000)}x`],
  ["cells", `${"|a".repeat(15_000)}\n${"|-".repeat(15_000)}`],
  ["addresses", "a.".repeat(30_000) + "@"],
])("60,000 hostile characters of %s are read in steps that stay few", (_, text) => {
  // Libraries take seconds for a third of each: this test would end by its time limit.
  expect(parseMarkdown(text).length).toBeGreaterThan(0);
});

test.each([
  ["# Title", true],
  ["- a\n- b", true],
  ["a **b** c", true],
  ["Total: 2 * 3 = 6, a_b_c", false],
  ["- a single dash", false],
  ["/* comment */ x | y", false],
])("%j looks like Markdown: %s", (text, looks) => {
  expect(looksLikeMarkdown(text)).toBe(looks);
});

test("a line of many spaces below the head of a table is read at once", () => {
  const spaces = " ".repeat(300_000);
  expect(parseMarkdown(`a | b\n|${spaces}x|`)).toMatchObject([{ kind: "paragraph" }]);
  expect(parseMarkdown(`a | b\n|${spaces}-|-${spaces}|`)).toMatchObject([{ kind: "table" }]);
});
