import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { isSchema, mapOf, refName, stringsOf } from "../src/schema.ts";
import type { Definitions, Schema } from "../src/schema.ts";
import { upstream } from "./support.ts";

/** An official example of a definition. */
export interface Example {
  readonly definition: string;
  readonly file: string;
  readonly value: unknown;
}

const folder = join(upstream, "2026-07-28", "examples");

/** Every official example of 2026-07-28; empty where the shared data is absent. */
export function readExamples(): Example[] {
  if (!existsSync(folder)) {
    return [];
  }
  return readdirSync(folder).flatMap((definition) =>
    readdirSync(join(folder, definition)).map((file) => ({
      definition,
      file: `${definition}/${file}`,
      value: JSON.parse(readFileSync(join(folder, definition, file), "utf8")) as unknown,
    })),
  );
}

/** A change that makes a valid value invalid. */
export interface Mutation {
  readonly what: string;
  readonly apply: (value: unknown) => unknown;
}

type Path = readonly (string | number)[];

/**
 * Every way to drop a required field or change a type in `value`, as far as the schema leaves no
 * alternative.
 */
export function mutations(
  value: unknown,
  schema: Schema,
  definitions: Definitions,
  path: Path = [],
): Mutation[] {
  const node = definitions[refName(schema) ?? ""] ?? schema;
  if (refName(node) !== undefined) {
    return mutations(value, node, definitions, path);
  }
  const out = path.length === 0 ? [] : wrongTypes(node, path);
  if (isSchema(value) && node["type"] === "object") {
    for (const field of stringsOf(node, "required")) {
      if (field in value) {
        out.push({
          what: `drop ${[...path, field].join("/")}`,
          apply: (root) => edit(root, [...path, field]),
        });
      }
    }
    for (const [field, child] of Object.entries(mapOf(node, "properties"))) {
      if (field in value) {
        out.push(...mutations(value[field], child, definitions, [...path, field]));
      }
    }
  }
  const items = node["items"];
  if (Array.isArray(value) && isSchema(items)) {
    value.forEach((item, index) => out.push(...mutations(item, items, definitions, [...path, index])));
  }
  return out;
}

const samples: readonly (readonly [type: string, value: unknown])[] = [
  ["null", null],
  ["boolean", true],
  ["string", "text"],
  ["number", 1.5],
  ["array", []],
  ["object", {}],
];

function wrongTypes(node: Schema, path: Path): Mutation[] {
  const types = typeof node["type"] === "string" ? [node["type"]] : stringsOf(node, "type");
  if (types.length === 0) {
    return [];
  }
  return samples
    .filter(([type]) => !types.includes(type))
    .map(([type, sample]) => ({
      what: `${path.join("/")} becomes ${type}`,
      apply: (root) => edit(root, path, sample),
    }));
}

/** A copy of `root` with the place at `path` removed, or set to `replacement`. */
function edit(root: unknown, path: Path, ...replacement: unknown[]): unknown {
  const copy = structuredClone(root);
  let place = copy as Schema;
  for (const step of path.slice(0, -1)) {
    place = place[step] as Schema;
  }
  const last = path.at(-1) ?? "";
  if (replacement.length === 0) {
    delete place[last];
  } else {
    place[last] = replacement[0];
  }
  return copy;
}
