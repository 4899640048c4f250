import type { MethodRow } from "./methods.ts";
import type { Repository } from "./repository.ts";
import { constOf, mapOf, rewriteAll, stringsOf } from "./schema.ts";
import type { Definitions } from "./schema.ts";

/** The definitions that code is generated from, their methods, and the names of their types. */
export interface Generated {
  readonly definitions: Definitions;
  readonly rows: readonly MethodRow[];
  readonly renamed: ReadonlyMap<string, string>;
}

/**
 * What the generator assumes, renames or leaves out, in sentences for people. The schemas of this
 * package give no notes.
 */
export function notesOn(generated: Generated, { methods }: Pick<Repository, "methods">): string[] {
  return [
    ...[...generated.renamed].map(([name, type]) => `the type of the definition ${name} is called ${type}`),
    ...assumed(generated, methods),
    ...leftOut(generated),
    ...undeclared(generated.definitions),
  ];
}

function assumed({ definitions, rows }: Generated, known: Repository["methods"]): string[] {
  return rows.flatMap(({ definition, kind, method, result }) => {
    const name = definition.replace(/Request$/, "Result");
    const isGuess = kind === "request" && result === "EmptyResult" && !(name in definitions);
    return isGuess && !Object.hasOwn(known, method) && !(`${name}Response` in definitions)
      ? [`${definition} has no ${name}: EmptyResult is assumed`]
      : [];
  });
}

function leftOut({ definitions, rows }: Generated): string[] {
  const used = new Set(rows.map(({ definition }) => definition));
  return Object.entries(definitions).flatMap(([name, schema]) => {
    const method = constOf(schema, "method");
    if (method === undefined || used.has(name)) {
      return [];
    }
    const kind = ["Request", "Notification"].find((suffix) => name.endsWith(suffix));
    const reason =
      kind === undefined
        ? "its name ends with neither Request nor Notification"
        : `it is in neither Client${kind} nor Server${kind}`;
    return [`${name} (${method}) is not in methods.ts: ${reason}`];
  });
}

/** JSON Schema allows a required name without a property; a type has no member for it. */
function undeclared(definitions: Definitions): string[] {
  const notes = new Set<string>();
  rewriteAll(definitions, (node, path) => {
    const properties = mapOf(node, "properties");
    for (const name of stringsOf(node, "required")) {
      if (!Object.hasOwn(properties, name)) {
        notes.add(`${path} requires ${name} but has no property ${name}: the type does not have it`);
      }
    }
    return node;
  });
  return [...notes];
}
