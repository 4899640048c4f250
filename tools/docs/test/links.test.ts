import { existsSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";

import { expect, test } from "vitest";

import { pages, pathOf } from "../src/markdown.ts";

const link = /\]\((?!https?:|mailto:)([^)\s#]*)(?:#([^)\s]+))?\)/g;

/** The name by which a heading is linked to. */
const anchor = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, "")
    .trim()
    .replaceAll(" ", "-");

/** What a link to a page may name: its headings, and anchors that are written out. */
const headings = (page: string): readonly string[] => {
  const text = readFileSync(page, "utf8");
  return [
    ...[...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) => anchor(heading)),
    ...[...text.matchAll(/<a id="([^"]+)">/g)].map(([, id = ""]) => id),
  ];
};

test.each(pages().map((page) => [pathOf(page), page]))("every link of %s leads somewhere", (_, page) => {
  const text = readFileSync(page, "utf8").replaceAll(/```[\s\S]*?```/g, "");
  const broken = [...text.matchAll(link)].flatMap(([, path = "", heading]) => {
    const target = path === "" ? page : join(dirname(page), path);
    const isThere =
      existsSync(target) &&
      (heading === undefined || (statSync(target).isFile() && headings(target).includes(heading)));
    return isThere ? [] : [heading === undefined ? path : `${path}#${heading}`];
  });
  const pictures = [...text.matchAll(/\b(?:src|srcset)="(?!https?:)([^"\s]+)"/g)]
    .map(([, path = ""]) => path)
    .filter((path) => !existsSync(join(dirname(page), path)));
  expect([...broken, ...pictures]).toEqual([]);
});

test("every page of docs is in its index", () => {
  const all = pages()
    .map(pathOf)
    .filter((page) => page.startsWith("docs/") && page !== "docs/README.md");
  const index = readFileSync(join(import.meta.dirname, "../../../docs/README.md"), "utf8");
  expect(all.filter((page) => !index.includes(`](${page.slice("docs/".length)})`))).toEqual([]);
});
