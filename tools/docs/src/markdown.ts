import { existsSync, readdirSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";

import { drawing, folderEdges, packageEdges } from "./drawings.ts";
import { errorTables } from "./errors.ts";
import { importsOf, withoutUmbrella, written } from "./imports.ts";
import { optionTables } from "./options.ts";
import { readRegion } from "./region.ts";
import { speedInShort, speedTable } from "./speed.ts";

const root: string = join(dirname(fileURLToPath(import.meta.url)), "../../..");

/** A fenced block of code in a page. */
export interface CodeBlock {
  /** Its language, `""` if it has none. */
  readonly language: string;
  readonly code: string;
  /** Where it is taken from: `path#region`, as said in the comment above it. */
  readonly source: string | undefined;
  /** The test that runs it as it stands in the page, as said in the comment above it. */
  readonly runBy: string | undefined;
  /** Its first line in the page, from 1. */
  readonly line: number;
}

const block =
  /(?:<!-- region: (?<source>\S+) -->\n+)?(?:<!-- run by: (?<runBy>\S+) -->\n+)?```(?<language>\w*)\n(?<code>[\s\S]*?)```/g;

const options = /<!-- options -->\n[\s\S]*<!-- end of options -->/;

const errors = /<!-- errors -->\n[\s\S]*<!-- end of errors -->/;

const speed = /<!-- speed -->\n[\s\S]*<!-- end of speed -->/;

const inShort = /^Measured, with .*$/m;

const diagram = /<!-- drawing: (\w+) -->\n+```mermaid\n[\s\S]*?```/g;

/** The drawings that a page may name. */
const drawings: Readonly<Record<string, () => string>> = {
  packages: () => drawing(packageEdges(join(root, "packages"))),
  mcp: () => drawing(folderEdges(join(root, "packages/mcp/src"))),
};

/** The languages of which every block must be taken from a file that is compiled and run. */
export const executable: ReadonlySet<string> = new Set(["ts", "js", "tsx", "jsx", "mjs"]);

/** Every page of the documentation. */
export function pages(): readonly string[] {
  const members = ["packages", "tools", "examples"].flatMap((folder) =>
    readdirSync(join(root, folder)).map((name) => join(folder, name)),
  );
  return [".", "docs", "schema", ...members].flatMap((folder) =>
    readdirSync(join(root, folder))
      .filter((name) => name.endsWith(".md") && name !== "CHANGELOG.md")
      .map((name) => join(root, folder, name)),
  );
}

/** The blocks of code of a page. */
export function codeBlocks(markdown: string): readonly CodeBlock[] {
  return [...markdown.matchAll(block)].map((match) => ({
    language: match.groups?.["language"] ?? "",
    code: (match.groups?.["code"] ?? "").trimEnd(),
    source: match.groups?.["source"],
    runBy: match.groups?.["runBy"],
    line: markdown.slice(0, match.index).split("\n").length,
  }));
}

/**
 * The page with every drawing, every generated table and every block that names its
 * source brought up to date. What a block imports stands above it, unless a block before it has
 * shown that; the pages of a package name the package itself, all others `@tenon/sdk`.
 */
export function synchronised(page: string, markdown: string): string {
  const isUmbrella = !pathOf(page).startsWith("packages");
  const own = isUmbrella || pathOf(page).includes("sdk") ? (code: string): string => code : withoutUmbrella;
  const shown = new Set<string>();
  const drawn = markdown.replace(diagram, (whole, name: string) => {
    const draw = drawings[name];
    return draw === undefined ? whole : `<!-- drawing: ${name} -->\n\n\`\`\`mermaid\n${draw()}\n\`\`\``;
  });
  const listed = drawn.replace(
    options,
    () => `<!-- options -->\n\n${optionTables(join(root, "packages"))}\n\n<!-- end of options -->`,
  );
  const coded = listed.replace(
    errors,
    () => `<!-- errors -->\n\n${errorTables(join(root, "packages"))}\n\n<!-- end of errors -->`,
  );
  const numbers = join(root, "tools/bench/speed.json");
  const timed = coded.replace(
    speed,
    () => `<!-- speed -->\n\n${speedTable(numbers)}\n\n<!-- end of speed -->`,
  );
  const summed = timed.replace(inShort, () => speedInShort(numbers));
  return summed.replace(
    block,
    (whole, source: string | undefined, _runBy: string | undefined, language: string) => {
      if (source === undefined) {
        return whole;
      }
      const [path = "", region] = source.split("#");
      const file = join(root, path);
      const imports = importsOf(file, region, { umbrella: isUmbrella }).filter(({ module, name }) => {
        const key = `${module} ${name}`;
        return !shown.has(key) && shown.add(key);
      });
      const head = imports.length === 0 ? "" : `${written(imports)}\n`;
      return `<!-- region: ${source} -->\n\n\`\`\`${language}\n${head}${own(readRegion(file, region))}\n\`\`\``;
    },
  );
}

/** True if there is such a file. @param path - From the root. */
export function exists(path: string): boolean {
  return existsSync(join(root, path));
}

/** The path of a page from the root. */
export function pathOf(page: string): string {
  return relative(root, page);
}
