import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";

import { root, type Published, type Target } from "../packages.ts";
import { exportsOf, lookUp, readModule } from "./module.ts";
import { namesIn, printDeclaration } from "./print.ts";

/**
 * The public interface of a package as text: what each entry exports, with its signature, sorted by
 * name. Types that an export mentions but no entry exports are listed at the end, since a change of
 * theirs is a change for users too.
 *
 * @param from - The root of the repository.
 * @throws If the package has not been built.
 */
export function apiReport({ folder, manifest }: Published, from: string = root): string {
  const sections: string[] = [];
  const printed = new Map<string, string>();
  const mentioned = new Map<string, readonly [file: string, local: string]>();
  const augmentations: string[] = [];
  const mention = (file: string, names: ReadonlySet<string>): void => {
    for (const name of names) {
      const found = lookUp(name, file);
      if (found.kind === "declared" && readModule(found.file).declarations.has(found.local)) {
        mentioned.set(`${found.file}#${found.local}`, [found.file, found.local]);
      }
    }
  };
  for (const [entry, file] of entriesOf(join(from, folder), manifest.exports ?? {})) {
    const lines: string[] = [];
    for (const [name, exported] of [...exportsOf(file)].toSorted(byName)) {
      if (exported.kind === "foreign") {
        lines.push(foreign(name, exported.name, exported.from));
        continue;
      }
      const key = `${exported.file}#${exported.local}`;
      const before = printed.get(key);
      if (before !== undefined) {
        lines.push(`${name}; // ${before}`);
        continue;
      }
      printed.set(key, `see "${entry}"`);
      const statements = readModule(exported.file).declarations.get(exported.local) ?? [];
      lines.push(...statements.map(printDeclaration));
      if (name !== exported.local) {
        lines.push(`${name}; // ${exported.local}`);
      }
      statements.forEach((statement) => mention(exported.file, namesIn(statement)));
    }
    augmentations.push(...readModule(file).augmentations.map(printDeclaration));
    sections.push([`// entry "${entry}"`, ...lines].join("\n"));
  }
  const hidden = new Map<string, string>();
  // Mentioning adds to the map while it is read: what types mention that others mention.
  for (const [key, [file, local]] of mentioned) {
    const statements = printed.has(key) ? [] : (readModule(file).declarations.get(local) ?? []);
    statements.forEach((statement) => mention(file, namesIn(statement)));
    if (statements.length > 0) {
      hidden.set(key, statements.map(printDeclaration).join("\n"));
    }
  }
  if (hidden.size > 0) {
    sections.push(
      ["// mentioned above, and exported nowhere", ...[...hidden.values()].toSorted()].join("\n"),
    );
  }
  if (augmentations.length > 0) {
    sections.push(["// added to other modules", ...new Set(augmentations)].join("\n"));
  }
  return `${sections.join("\n\n")}\n`;
}

function byName([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return a < b ? -1 : 1;
}

function foreign(name: string, original: string, from: string): string {
  if (name.startsWith("* from ")) {
    return `export ${name};`;
  }
  return `${name}; // ${original === name ? "" : `${original} `}of ${from}`;
}

/** The entries of a package, with the files that declare them. */
function entriesOf(
  folder: string,
  exports: Readonly<Record<string, Target>>,
): readonly (readonly [entry: string, file: string])[] {
  return Object.entries(exports).flatMap(([entry, target]) => {
    const declared = declarationsOf(target);
    return declared === undefined ? [] : expand(folder, entry, declared);
  });
}

function declarationsOf(target: Target): string | undefined {
  if (target === null || typeof target === "string") {
    return undefined;
  }
  const { types = null } = target;
  if (typeof types === "string") {
    return types;
  }
  const inner = types?.["default"];
  return typeof inner === "string"
    ? inner
    : Object.values(target)
        .map(declarationsOf)
        .find((found) => found !== undefined);
}

/** An entry with a star is as many entries as there are files, in one folder or several. */
function expand(folder: string, entry: string, declared: string): readonly (readonly [string, string])[] {
  const file = join(folder, declared);
  const [start = "", end] = declared.split("*");
  if (end === undefined) {
    if (!existsSync(file)) {
      throw new Error(`${folder} has no ${declared}; run pnpm run build first.`);
    }
    return [[entry, file]];
  }
  const top = start.slice(0, start.lastIndexOf("/") + 1);
  return readdirSync(join(folder, top), { recursive: true, encoding: "utf8" })
    .map((path) => `${top}${path.replaceAll("\\", "/")}`)
    .filter((path) => path.startsWith(start) && path.endsWith(end))
    .toSorted()
    .map((path) => [entry.replace("*", path.slice(start.length, -end.length)), join(folder, path)]);
}
