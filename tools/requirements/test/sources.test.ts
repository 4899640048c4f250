import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { expect, test } from "vitest";

import { ids } from "../src/ids.ts";
import { readReferences } from "../src/manifest.ts";
import { root } from "../src/paths.ts";
import { idsIn } from "../src/proofs.ts";

const standard = /\b(JSON-RPC 2\.0|RFC \d{4}|WHATWG|SEP-\d+|OpenAPI \d+\.\d+)\b/;

/** The text behind every `@source` of the sources, with its file. */
function sourceTags(): readonly { file: string; text: string }[] {
  return readdirSync(join(root, "packages")).flatMap((name) =>
    readdirSync(join(root, "packages", name, "src"), { withFileTypes: true, recursive: true })
      .filter((entry) => entry.isFile() && entry.name.endsWith(".ts"))
      .flatMap((entry) => {
        const file = join(entry.parentPath, entry.name);
        return [...readFileSync(file, "utf8").matchAll(/@source (.*)/g)].map(([, text = ""]) => ({
          file,
          text,
        }));
      }),
  );
}

test("every @source names requirements that exist, or a public standard", () => {
  const known = new Set([...ids, ...readReferences().map(({ id }) => id)]);
  const tags = sourceTags();
  expect(tags.length).toBeGreaterThan(300);
  const wrong = tags.filter(({ text }) => {
    const named = [...idsIn(text)];
    return named.length === 0 ? !standard.test(text) : named.some((id) => !known.has(id));
  });
  expect(wrong).toEqual([]);
});
