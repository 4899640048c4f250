import { readdirSync, readFileSync } from "node:fs";
import { join, relative, sep } from "node:path";

import { idOf } from "./ids.ts";
import { root } from "./paths.ts";

const mention = /\b([SR])-(\d{3})(?:\s*(?:…|–|\.\.\.?)\s*(?:\1-)?(\d{3}))?(?!\d)/g;

/** The requirements that a text mentions: `R-101`, or a range such as `R-565…R-568`. */
export function idsIn(text: string): ReadonlySet<string> {
  const found = new Set<string>();
  for (const [, kind = "", from = "", to = from] of text.matchAll(mention)) {
    for (let number = Number(from); number <= Number(to); number++) {
      found.add(idOf(kind, number));
    }
  }
  return found;
}

/** The test files of the repository, seen from its root. */
export function testFiles(): readonly string[] {
  return ["packages", "tools", "examples"]
    .flatMap((group) => readdirSync(join(root, group)).map((name) => join(root, group, name, "test")))
    .flatMap(filesUnder)
    .filter((file) => file.endsWith(".test.ts"))
    .map((file) => relative(root, file).replaceAll(sep, "/"))
    .filter((file) => !file.startsWith("tools/requirements/"))
    .toSorted();
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

/** For each id the test files that mention it, sorted. */
export function findProofs(): ReadonlyMap<string, readonly string[]> {
  const proofs = new Map<string, string[]>();
  for (const file of testFiles()) {
    for (const id of idsIn(readFileSync(join(root, file), "utf8"))) {
      proofs.set(id, [...(proofs.get(id) ?? []), file]);
    }
  }
  return proofs;
}
