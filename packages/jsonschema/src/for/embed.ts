import { mapParts, references, somePart } from "../dialect/schema-parts.ts";
import { decodeFragment, escapeToken } from "../reference/pointer.ts";
import type { JSONSchema, JSONSchemaObject } from "../schema.ts";
import { isMembers } from "../value/members.ts";

type Definitions = Record<string, JSONSchema>;

/** True if the schema refers to a part of itself, so that its place in a document matters. */
export function refersToItself(schema: unknown): boolean {
  if (Array.isArray(schema)) {
    return schema.some(refersToItself);
  }
  if (!isMembers(schema)) {
    return false;
  }
  return (
    references.some((keyword) => {
      const reference = schema[keyword];
      return typeof reference === "string" && reference.startsWith("#");
    }) || somePart(schema, refersToItself)
  );
}

/**
 * Reserves a free name at once, so that definitions keep the order in which they are found.
 */
export function takeName(wanted: string, definitions: Definitions): string {
  const base = wanted.replaceAll(/[^\w.-]/g, "_");
  let name = base;
  for (let i = 2; Object.hasOwn(definitions, name); i++) {
    name = `${base}${i}`;
  }
  definitions[name] = true;
  return name;
}

/**
 * Puts a whole document under the name `name` of the `$defs` of another: its own definitions become
 * siblings, and its references follow.
 */
export function embed(document: JSONSchemaObject, name: string, definitions: Definitions): void {
  const { $defs = {}, ...rest } = document;
  const names = new Map(
    Object.keys($defs).map((inner) => [
      `#/$defs/${escapeToken(inner)}`,
      takeName(`${name}_${inner}`, definitions),
    ]),
  );

  function moved(reference: string): string {
    if (reference === "#") {
      return `#/$defs/${name}`;
    }
    const [, definition = "", below = ""] = /^(#\/\$defs\/[^/]*)(.*)$/s.exec(decodeFragment(reference)) ?? [];
    const taken = names.get(definition);
    if (taken !== undefined) {
      return `#/$defs/${taken}${below}`;
    }
    return reference.startsWith("#/") ? `#/$defs/${name}${reference.slice(1)}` : reference;
  }

  function rewrite(schema: unknown): unknown {
    if (Array.isArray(schema)) {
      return schema.map(rewrite);
    }
    if (!isMembers(schema)) {
      return schema;
    }
    const written = mapParts(schema, rewrite);
    for (const keyword of references) {
      const reference = schema[keyword];
      if (typeof reference === "string") {
        written[keyword] = moved(reference);
      }
    }
    return written;
  }

  definitions[name] = rewrite(rest) as JSONSchema;
  for (const [inner, schema] of Object.entries($defs)) {
    definitions[names.get(`#/$defs/${escapeToken(inner)}`) ?? inner] = rewrite(schema) as JSONSchema;
  }
}
