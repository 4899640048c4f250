import { SchemaError } from "../error.ts";
import { escapeToken } from "../reference/pointer.ts";
import type { JSONSchemaObject } from "../schema.ts";
import { isMembers } from "../value/members.ts";

/**
 * The changes of {@link refine}: keywords of the schema, and below `properties` and `items` the
 * keywords of its parts.
 */
export interface Refinement extends Omit<JSONSchemaObject, "items" | "properties"> {
  readonly properties?: Readonly<Record<string, Refinement>>;
  readonly items?: Refinement;
}

/**
 * Returns a copy of a schema with some keywords replaced, including nested properties and items.
 * The class defines the general schema, and each use can adapt it.
 *
 * @example refine(For(Search), { properties: { limit: { description: "At most this many hits", maximum: 50 } } })
 * @throws SchemaError `invalid-keyword` for a property that the schema does not have, or `items`
 *   where there are none
 * @source S-141
 */
export function refine(schema: JSONSchemaObject, refinement: Refinement): JSONSchemaObject {
  return refineAt(structuredClone(schema), refinement, "#");
}

function refineAt(schema: JSONSchemaObject, refinement: Refinement, at: string): JSONSchemaObject {
  const { properties, items, ...keywords } = refinement;
  const refined: Record<string, unknown> = { ...schema, ...structuredClone(keywords) };
  if (items !== undefined) {
    refined["items"] = part(schema.items, items, `${at}/items`);
  }
  if (properties !== undefined) {
    const parts: Record<string, unknown> = { ...schema.properties };
    for (const [name, change] of Object.entries(properties)) {
      const own = Object.hasOwn(parts, name) ? parts[name] : undefined;
      parts[name] = part(own, change, `${at}/properties/${escapeToken(name)}`);
    }
    refined["properties"] = parts;
  }
  return refined;
}

function part(schema: unknown, refinement: Refinement, at: string): JSONSchemaObject {
  if (isMembers(schema)) {
    return refineAt(schema, refinement, at);
  }
  if (schema === true) {
    return refineAt({}, refinement, at);
  }
  throw new SchemaError("invalid-keyword", at, "the schema has nothing here to refine");
}
