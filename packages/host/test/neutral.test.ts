import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";

import { expect, test } from "vitest";

const source = join(import.meta.dirname, "../src");

/**
 * The files that an entry imports, and the packages that are still imported when the types are
 * gone.
 */
function imports(entry: string): { files: Set<string>; packages: Set<string> } {
  const files = new Set<string>();
  const packages = new Set<string>();
  const visit = (file: string): void => {
    if (files.has(file)) {
      return;
    }
    files.add(file);
    const text = readFileSync(file, "utf8");
    for (const [statement, name = ""] of text.matchAll(/(?:^|\n)(?:import|export)\b[^;]*?from "([^"]+)";/g)) {
      if (/^\s*(?:import|export) type\b/.test(statement)) {
        continue;
      }
      if (name.startsWith(".")) {
        visit(join(dirname(file), name));
      } else {
        packages.add(name);
      }
    }
  };
  visit(join(source, entry));
  return { files, packages };
}

test("the core imports nothing of Node, no transport and no parser, and names no global of Node", () => {
  const { files, packages } = imports("index.ts");
  expect([...packages].toSorted()).toEqual([
    "@tenon/base",
    "@tenon/base/canonical-json",
    "@tenon/jsonrpc2/core",
    "@tenon/mcp",
    "@tenon/protocol",
  ]);
  expect(files.size).toBeGreaterThan(30);
  for (const file of files) {
    expect(readFileSync(file, "utf8")).not.toMatch(/\b(?:process\.|Buffer\b|setImmediate|require\()/);
  }
});
