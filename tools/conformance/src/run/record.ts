import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import type { Verdict } from "./judge.ts";

const readme = join(fileURLToPath(import.meta.url), "../../../README.md");
const [start, end] = ["<!-- results -->", "<!-- /results -->"];

/**
 * Writes the results of a whole run into the README, from which the site has them.
 *
 * @throws `Error` if the README has no place for them.
 */
export function record(verdicts: readonly Verdict[]): void {
  const text = readFileSync(readme, "utf8");
  const [before, after] = [text.indexOf(start), text.indexOf(end)];
  if (before < 0 || after < before) {
    throw new Error(`README.md of tools/conformance must have ${start} and, after it, ${end}.`);
  }
  const require = createRequire(import.meta.url);
  const { name, version } = require("@modelcontextprotocol/conformance/package.json") as Record<
    string,
    string
  >;
  const rows = verdicts
    .filter(({ checks }) => checks > 0)
    .toSorted((one, other) => one.name.localeCompare(other.name))
    .map(({ name: leg, passed, total, checks }) => `| ${leg} | ${passed} of ${total} | ${checks} |`);
  const date = new Date().toISOString().slice(0, 10);
  const table = [
    `Results of ${date}, Node ${process.versions.node}, \`${name}\` ${version}:`,
    "",
    "| part | scenarios that pass | checks |",
    "|---|---|---|",
    ...rows,
  ];
  writeFileSync(
    readme,
    `${text.slice(0, before + start.length)}\n\n${table.join("\n")}\n\n${text.slice(after)}`,
  );
}
