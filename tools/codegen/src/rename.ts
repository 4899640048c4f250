import { mapChildren, refName } from "./schema.ts";
import type { Definitions, Schema } from "./schema.ts";

/** Definitions under names that json-schema-to-typescript keeps, and the names that they had. */
export interface Renamed {
  readonly definitions: Definitions;
  /** By the old name, the new name of each definition that has got another one. */
  readonly renamed: ReadonlyMap<string, string>;
}

/**
 * Gives each definition a name that is a type of TypeScript as json-schema-to-typescript writes it:
 * `string` becomes `String`, and `tool` becomes `Tool1` if there is a `Tool`. Otherwise that
 * library would rename the type, and references to it would not compile.
 */
export function renameDefinitions(definitions: Definitions): Renamed {
  const names = Object.keys(definitions);
  const taken = new Set(names.filter((name) => typeName(name) === name));
  const renamed = new Map<string, string>();
  for (const name of names) {
    if (taken.has(name)) {
      continue;
    }
    const base = typeName(name);
    let free = base;
    for (let number = 1; taken.has(free); number += 1) {
      free = `${base}${number}`;
    }
    taken.add(free);
    renamed.set(name, free);
  }
  if (renamed.size === 0) {
    return { definitions, renamed };
  }
  const entries = Object.entries(definitions).map(([name, schema]): [string, Schema] => [
    renamed.get(name) ?? name,
    redirect(schema, renamed),
  ]);
  return { definitions: Object.fromEntries(entries), renamed };
}

function redirect(schema: Schema, renamed: ReadonlyMap<string, string>): Schema {
  const target = renamed.get(refName(schema) ?? "");
  const out = mapChildren(schema, (child) => redirect(child, renamed));
  return target === undefined ? out : { ...out, $ref: `#/$defs/${target}` };
}

/** The name that json-schema-to-typescript gives to a definition, before it numbers doubles. */
function typeName(name: string): string {
  const safe = name
    .normalize("NFD")
    .replaceAll(/\p{M}/gu, "")
    .replaceAll(/(^\s*[^a-zA-Z_$])|([^a-zA-Z_$\d])/g, " ")
    .replaceAll(/^_[a-z]/g, (match) => match.toUpperCase())
    .replaceAll(/_[a-z]/g, (match) => match.slice(1).toUpperCase())
    .replaceAll(/[\d$]+[a-zA-Z]/g, (match) => match.toUpperCase())
    .replaceAll(/\s+([a-zA-Z])/g, (_, letter: string) => letter.toUpperCase())
    .replaceAll(/\s/g, "")
    .replace(/^\d+/, "");
  return safe === "" ? "Definition" : `${safe.charAt(0).toUpperCase()}${safe.slice(1)}`;
}
