import { createRequire } from "node:module";

import { CodegenError } from "./error.ts";
import { layOut } from "./layout.ts";
import type { Deprecation } from "./repository.ts";
import { proseKeywords, refName, rewriteAll, sorted } from "./schema.ts";
import type { Definitions, Schema } from "./schema.ts";

/**
 * The part of json-schema-to-typescript used here. Its own declarations do not compile under
 * exactOptionalPropertyTypes.
 */
interface Compiler {
  compile(schema: Schema, name: string, options: Schema): Promise<string>;
}

const require = createRequire(import.meta.url);

/**
 * Loaded when first needed: it brings a formatter along, which only `generate` and `import` use.
 */
function loadCompiler(): Compiler {
  return require("json-schema-to-typescript") as Compiler;
}

const rootName = "RootOfAllDefinitions";

/**
 * TypeScript declarations of all definitions: one flat interface or alias per definition, sorted by
 * name, TSDoc from the descriptions, `@deprecated` from the registry.
 */
export async function emitTypes(
  definitions: Definitions,
  deprecations: readonly Deprecation[],
): Promise<string> {
  const prepared = rewriteAll(definitions, (node, path) => named(documented(node, path, deprecations)));
  const root = { title: rootName, type: "object", definitions: Object.fromEntries(sorted(prepared)) };
  const text = await loadCompiler().compile(root, rootName, {
    additionalProperties: false,
    bannerComment: "",
    declareExternallyReferenced: true,
    format: false,
    ignoreMinAndMaxItems: true,
    unknownAny: true,
    unreachableDefinitions: true,
  });
  requireNames(text, Object.keys(definitions));
  return tidy(text);
}

/** References are names of definitions, so a type under another name would not be found. */
function requireNames(text: string, names: readonly string[]): void {
  const written = new Set(
    [...text.matchAll(/^export (?:interface|type) ([\w$]+)/gm)].map(([, name]) => name),
  );
  const missing = names.find((name) => !written.has(name));
  if (missing !== undefined) {
    throw new CodegenError("unsupported_schema", `there is no type for the definition ${missing}`);
  }
}

/**
 * The tool makes a numbered copy of a definition each time a reference to it carries its own
 * description, so references are handed over as finished type names. It would call a type by the
 * title of its schema, so there are no titles.
 */
function named({ title: _title, ...node }: Schema): Schema {
  const name = refName(node);
  if (name === undefined) {
    return admitsAnything(node) ? { ...node, tsType: "unknown" } : node;
  }
  const { $ref: _, ...rest } = node;
  return { ...rest, tsType: name };
}

/** The tool takes an empty schema for an open object once it has a description. */
function admitsAnything(node: Schema): boolean {
  return Object.keys(node).every((keyword) => keyword === "deprecated" || proseKeywords.includes(keyword));
}

function documented(node: Schema, path: string, deprecations: readonly Deprecation[]): Schema {
  const entry = deprecations.find((deprecation) => deprecation.paths.includes(path));
  const description = typeof node["description"] === "string" ? node["description"] : "";
  const tag = entry === undefined ? "" : deprecationTag(entry);
  const text = [description, tag].filter((part) => part !== "").join("\n\n");
  return text === "" ? node : { ...node, description: docText(text, path) };
}

/** The `@deprecated` line of a registry entry. */
export function deprecationTag(entry: Deprecation): string {
  return `@deprecated since ${entry.since} (${entry.by}): use ${entry.use}. Earliest removal: ${entry.removal}.`;
}

/**
 * Text as it may stand in a doc comment: it cannot end the comment, and lines are broken before
 * column 110.
 */
export function docText(text: string, path: string): string {
  const width = 104 - 2 * (path.split(/[.[{]/).length - 1);
  return text
    .replaceAll("*/", "*\\/")
    .split("\n")
    .flatMap((line) => wrap(line, width))
    .join("\n");
}

function wrap(line: string, width: number): string[] {
  const lines = [""];
  for (const word of line.split(" ")) {
    const last = lines.at(-1) ?? "";
    if (last !== "" && last.length + 1 + word.length > width) {
      lines.push(word);
    } else {
      lines[lines.length - 1] = last === "" ? word : `${last} ${word}`;
    }
  }
  return lines;
}

function tidy(text: string): string {
  const own = text
    .replace(new RegExp(`export interface ${rootName} \\{[^}]*\\}\\n?`), "")
    .replaceAll(/^ \* This interface was referenced by .*\n \* via the `definition` ".*"\.\n/gm, "")
    .replaceAll(/^ \*\s*\n \*\/$/gm, " */")
    .replaceAll(/^\/\*\*\n \*\/\n/gm, "");
  return layOut(own).replaceAll(/^( *)\/\*\*\n *\* (.*)\n *\*\/$/gm, "$1/** $2 */");
}
