import { isSchema, listOf, mapOf, refName, stringsOf } from "./schema.ts";
import type { Definitions, Schema } from "./schema.ts";

/**
 * Resolves `allOf` into one object schema (S-046: flat interfaces, no inheritance): fields of all
 * members, later members over earlier ones, all requirements, open if any member is open.
 */
export function flatten(schema: Schema, definitions: Definitions): Schema {
  const members = listOf(schema, "allOf");
  if (members.length === 0) {
    return schema;
  }
  const { allOf: _, ...own } = schema;
  let flat: Schema = { type: "object", properties: {}, required: [] };
  for (const member of [...members, own]) {
    const name = refName(member);
    const part = flatten((name === undefined ? undefined : definitions[name]) ?? member, definitions);
    flat = combine(flat, part, definitions);
  }
  return typeof own["description"] === "string"
    ? { ...flat, description: own["description"] }
    : dropProse(flat);
}

function combine(first: Schema, second: Schema, definitions: Definitions): Schema {
  const properties: { [name: string]: Schema } = { ...mapOf(first, "properties") };
  for (const [name, schema] of Object.entries(mapOf(second, "properties"))) {
    const before = properties[name];
    properties[name] =
      before !== undefined && isObject(before) && isObject(schema)
        ? flatten({ allOf: [before, schema] }, definitions)
        : schema;
  }
  const open = second["additionalProperties"] ?? first["additionalProperties"];
  return {
    ...first,
    ...second,
    properties,
    required: [...new Set([...stringsOf(first, "required"), ...stringsOf(second, "required")])].sort(),
    ...(open === undefined ? {} : { additionalProperties: open }),
  };
}

function isObject(schema: Schema): boolean {
  return schema["type"] === "object" && isSchema(schema["properties"]);
}

function dropProse(schema: Schema): Schema {
  const { description: _, ...rest } = schema;
  return rest;
}
