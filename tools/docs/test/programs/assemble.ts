import { join } from "node:path";

import { importsOf, written } from "../../src/imports.ts";
import { readRegion } from "../../src/region.ts";
import type { Lines } from "./documented.ts";

const root = join(import.meta.dirname, "../../../..");

/** The text of a program: its imports first, each once. */
export function assembled(parts: readonly (string | Lines)[]): string {
  const regions = parts.filter((part) => typeof part === "string");
  const texts = new Map(regions.map((region) => [region, shown([region])]));
  const whole = parts.map((part) => (typeof part === "string" ? texts.get(part) : part.text)).join("\n\n");
  const pattern = /^import [\s\S]*? from "[^"]+";\n?|^import "[^"]+";\n?/gm;
  const imported = new Map<string, Set<string>>();
  const others = new Set<string>();
  for (const [statement] of whole.matchAll(pattern)) {
    const named = /^import (type )?\{([\s\S]*)\} from "([^"]+)"/.exec(statement);
    if (named === null) {
      others.add(statement.trim());
      continue;
    }
    const [, type = "", names = "", module = ""] = named;
    if (!module.startsWith("./")) {
      const known = imported.get(module) ?? new Set();
      imported.set(module, known);
      for (const name of names.split(",").map((each) => each.trim())) {
        if (name !== "") {
          known.add(`${type}${name}`);
        }
      }
    }
  }
  const seen = new Set<string>();
  const heads = [...imported].map(([module, names]) => {
    const fresh = [...names].filter((name) => {
      const local =
        name
          .replace(/^type /, "")
          .split(" as ")
          .at(-1) ?? "";
      return !seen.has(local) && seen.add(local);
    });
    return fresh.length === 0 ? "" : `import { ${fresh.join(", ")} } from "${module}";`;
  });
  return [...others, ...heads, whole.replace(pattern, "")].join("\n");
}

/** The text of regions as a page shows them, with their imports. */
function shown(regions: readonly string[]): string {
  const seen = new Set<string>();
  return regions
    .map((source) => {
      const [path = "", region] = source.split("#");
      const file = join(root, path);
      const imports = importsOf(file, region, { umbrella: true }).filter(({ module, name }) => {
        const key = `${module} ${name}`;
        return !seen.has(key) && seen.add(key);
      });
      return `${imports.length === 0 ? "" : written(imports)}\n${readRegion(file, region)}`;
    })
    .join("\n\n");
}
