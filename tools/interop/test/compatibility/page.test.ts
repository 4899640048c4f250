import { readFile } from "node:fs/promises";

import { expect, test } from "vitest";

import { rows, type Row } from "./table.ts";

test("docs/compatibility.md shows every row of the suite, and no other", async () => {
  const page = await readFile(new URL("../../../../docs/compatibility.md", import.meta.url), "utf8");
  const shown = page.split("\n").filter((line) => line.startsWith("| `"));
  const cells = Object.entries<Row>(rows).map(
    ([name, { sent, client = "–", server = "–", host = "–", source }]) =>
      `| \`${name}\` | ${sent} | ${client} | ${server} | ${host} | ${source} |`,
  );
  expect(shown).toEqual(cells);
});
