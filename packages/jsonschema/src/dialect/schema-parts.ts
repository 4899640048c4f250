import type { JSONSchemaObject, RawSchema } from "../schema.ts";
import { isMembers } from "../value/members.ts";

/** Keywords whose value is data, in which nothing is a schema. */
const literalKeywords: ReadonlySet<string> = new Set(["const", "enum", "default", "examples"]);

/** Keywords whose value is an object of schemas: the names in it are not keywords. */
const named: ReadonlySet<string> = new Set([
  "$defs",
  "definitions",
  "dependencies",
  "dependentSchemas",
  "patternProperties",
  "properties",
]);

/** Keywords that refer to a schema. */
export const references: readonly string[] = ["$ref", "$dynamicRef", "$recursiveRef"];

/** Keywords that describe and that no instance is checked against. */
const annotations: ReadonlySet<string> = new Set([
  "title",
  "description",
  "default",
  "examples",
  "deprecated",
  "readOnly",
  "writeOnly",
  "$comment",
]);

/**
 * A copy of a schema with something else in place of each part that may be a schema or a list of
 * them. Values of unknown keywords are such parts, because references may lead there; data is not.
 */
export function mapParts(
  schema: RawSchema,
  change: (part: unknown) => unknown,
  data: (value: unknown) => unknown = (value) => value,
): Record<string, unknown> {
  return mapMembers(schema, (value, keyword) => {
    if (literalKeywords.has(keyword)) {
      return data(value);
    }
    return named.has(keyword) && isMembers(value) ? mapMembers(value, change) : change(value);
  });
}

/** True if `test` holds for some part of a schema that may be a schema or a list of them. */
export function somePart(schema: RawSchema, test: (part: unknown) => boolean): boolean {
  let found = false;
  mapParts(schema, (part) => (found ||= test(part)));
  return found;
}

function mapMembers(
  members: RawSchema,
  change: (value: unknown, name: string) => unknown,
): Record<string, unknown> {
  return Object.fromEntries(Object.entries(members).map(([name, value]) => [name, change(value, name)]));
}

/** True for a keyword that only describes, vendors' own (`x-…`) included. */
export function describes(keyword: string): boolean {
  return annotations.has(keyword) || keyword.startsWith("x-");
}

/** Splits keywords into those that only describe and those that an instance is checked against. */
export function splitKeywords(
  keywords: JSONSchemaObject,
): [annotations: JSONSchemaObject, assertions: JSONSchemaObject] {
  const entries = Object.entries(keywords);
  return [
    Object.fromEntries(entries.filter(([keyword]) => describes(keyword))),
    Object.fromEntries(entries.filter(([keyword]) => !describes(keyword))),
  ];
}
