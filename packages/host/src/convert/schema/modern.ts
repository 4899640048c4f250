import { isRecord } from "@tenon/base";

import type { Schema } from "./keywords.ts";

/** Keywords that identify or explain a schema, or that are read elsewhere. */
export const silent: ReadonlySet<string> = new Set([
  "$schema",
  "$id",
  "id",
  "$anchor",
  "$dynamicAnchor",
  "$recursiveAnchor",
  "$vocabulary",
  "$comment",
  "$defs",
  "definitions",
  "$ref",
  "nullable",
  "example",
  "additionalItems",
  "dependencies",
  "$recursiveRef",
  "$dynamicRef",
]);

/** The forms of earlier drafts and of OpenAPI that have another form in JSON Schema 2020-12. */
const older = [
  "nullable",
  "dependencies",
  "additionalItems",
  "exclusiveMinimum",
  "exclusiveMaximum",
  "$recursiveRef",
  "$dynamicRef",
];

/**
 * A schema in the words of 2020-12: lists of `items` are `prefixItems`, boolean exclusive limits
 * are numbers, and `dependencies` are two keywords.
 *
 * @param readsNullable - Whether `nullable` of OpenAPI, which JSON Schema lacks, becomes a type.
 */
export function modern(schema: Schema, readsNullable: boolean): Schema {
  if (!Array.isArray(schema["items"]) && !older.some((keyword) => Object.hasOwn(schema, keyword))) {
    return schema;
  }
  const result: Record<string, unknown> = { ...schema };
  const { items, additionalItems, dependencies } = schema;
  if (Array.isArray(items)) {
    delete result["items"];
    Object.assign(
      result,
      items.length === 0 ? {} : { prefixItems: items },
      additionalItems === undefined ? {} : { items: additionalItems },
    );
  }
  for (const [exclusive, limit] of limits) {
    if (typeof result[exclusive] === "boolean") {
      if (result[exclusive] && typeof result[limit] === "number") {
        result[exclusive] = result[limit];
        delete result[limit];
      } else {
        delete result[exclusive];
      }
    }
  }
  if (isRecord(dependencies)) {
    const entries = Object.entries(dependencies);
    const names = entries.filter(([, value]) => Array.isArray(value));
    const schemas = entries.filter(([, value]) => !Array.isArray(value));
    Object.assign(
      result,
      names.length === 0 ? {} : { dependentRequired: Object.fromEntries(names) },
      schemas.length === 0 ? {} : { dependentSchemas: Object.fromEntries(schemas) },
    );
  }
  const dynamic = schema["$dynamicRef"] ?? schema["$recursiveRef"];
  if (schema["$ref"] === undefined && typeof dynamic === "string") {
    result["$ref"] = dynamic;
  }
  if (readsNullable && schema["nullable"] === true && schema["type"] !== undefined) {
    result["type"] = [schema["type"], "null"].flat();
  }
  return result;
}

const limits = [
  ["exclusiveMinimum", "minimum"],
  ["exclusiveMaximum", "maximum"],
] as const;

/** The types of JSON Schema. */
const types: ReadonlySet<unknown> = new Set([
  "string",
  "number",
  "integer",
  "boolean",
  "object",
  "array",
  "null",
]);

/** Names of the types in other type systems. */
const aliases: ReadonlyMap<string, string> = new Map([
  ["str", "string"],
  ["text", "string"],
  ["int", "integer"],
  ["int32", "integer"],
  ["int64", "integer"],
  ["long", "integer"],
  ["float", "number"],
  ["double", "number"],
  ["decimal", "number"],
  ["bool", "boolean"],
  ["list", "array"],
  ["tuple", "array"],
  ["dict", "object"],
  ["map", "object"],
  ["none", "null"],
  ["nil", "null"],
]);

/** The types that a `type` names, in the words of JSON Schema; empty if it names none. */
export function typesIn(type: unknown): readonly string[] {
  const named = [type].flat().flatMap((name: unknown) => {
    const word = typeof name === "string" ? name.toLowerCase() : "";
    const known = types.has(word) ? word : aliases.get(word);
    return known === undefined ? [] : [known];
  });
  return [...new Set(named)];
}

/** Whether a value has a type of JSON Schema. */
export function isOfType(type: string, value: unknown): boolean {
  switch (type) {
    case "null":
      return value === null;
    case "array":
      return Array.isArray(value);
    case "object":
      return isRecord(value);
    case "integer":
      return Number.isInteger(value);
    default:
      return typeof value === type;
  }
}
