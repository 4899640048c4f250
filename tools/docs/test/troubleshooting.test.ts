import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { expect, test } from "vitest";

const root = join(import.meta.dirname, "../../..");
const packages = join(root, "packages");

/** The sources of all packages, without the line breaks that the formatter puts into strings. */
const sources = readdirSync(packages)
  .flatMap((name) =>
    readdirSync(join(packages, name, "src"), { recursive: true, encoding: "utf8" })
      .filter((path) => path.endsWith(".ts"))
      .map((path) => readFileSync(join(packages, name, "src", path), "utf8")),
  )
  .join("\n")
  .replaceAll(/["'`] \+\s+["'`]/g, "");

const rows = [
  ...readFileSync(join(root, "docs/troubleshooting.md"), "utf8").matchAll(/^\| `([^`]+)` \|/gm),
].map(([, message = ""]) => message);

/** The parts of a message between its values. `z.object({ … })` has the sign itself. */
function partsOf(message: string): readonly string[] {
  return sources.includes(message) ? [message] : message.split("…").map((part) => part.trim());
}

test("the page has rows", () => {
  expect(rows.length).toBeGreaterThan(30);
});

test.each(rows)("the message %s is in the sources", (message) => {
  expect(partsOf(message).filter((part) => part.length > 1 && !sources.includes(part))).toEqual([]);
});
