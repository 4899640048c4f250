import { isJsonObject, type JSONSchema, type JSONSchemaObject } from "../schema.ts";
import { holdsData } from "./keywords.ts";

/** True if the schema refers to a part of itself, so that its place in a document matters. */
export function refersToItself(schema: unknown): boolean {
  if (Array.isArray(schema)) return schema.some(refersToItself);
  if (!isJsonObject(schema)) return false;
  return Object.entries(schema).some(([keyword, value]) =>
    keyword === "$ref"
      ? typeof value === "string" && value.startsWith("#")
      : !holdsData(keyword) && refersToItself(value),
  );
}

/**
 * Puts a whole document under the name `name` of the `$defs` of another: its own definitions become siblings, and its
 * references follow.
 */
export function embed(
  document: JSONSchemaObject,
  name: string,
  definitions: Record<string, JSONSchema>,
): void {
  const { $defs = {}, ...rest } = document;
  definitions[name] = rewrite(rest, name) as JSONSchema;
  for (const [inner, schema] of Object.entries($defs)) {
    definitions[`${name}_${inner}`] = rewrite(schema, name) as JSONSchema;
  }
}

function rewrite(schema: unknown, name: string): unknown {
  if (Array.isArray(schema)) return schema.map((item: unknown) => rewrite(item, name));
  if (!isJsonObject(schema)) return schema;
  return Object.fromEntries(
    Object.entries(schema).map(([keyword, value]) => {
      if (keyword === "$ref" && typeof value === "string") return [keyword, moved(value, name)];
      return [keyword, holdsData(keyword) ? value : rewrite(value, name)];
    }),
  );
}

function moved(reference: string, name: string): string {
  if (reference === "#") return `#/$defs/${name}`;
  if (reference.startsWith("#/$defs/")) return `#/$defs/${name}_${reference.slice("#/$defs/".length)}`;
  return reference.startsWith("#/") ? `#/$defs/${name}${reference.slice(1)}` : reference;
}
