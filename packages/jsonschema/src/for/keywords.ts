import type { JSONSchemaObject } from "../schema.ts";

/** Keywords whose value is data, in which nothing is a schema. */
const DATA: ReadonlySet<string> = new Set(["const", "enum", "default", "examples"]);

/** Keywords that describe and that no instance is checked against. */
const ANNOTATIONS: ReadonlySet<string> = new Set([
  "title",
  "description",
  "default",
  "examples",
  "deprecated",
  "readOnly",
  "writeOnly",
  "$comment",
]);

/** True for a keyword that holds data, in which nothing is a schema. */
export function holdsData(keyword: string): boolean {
  return DATA.has(keyword);
}

/** True for a keyword that only describes, vendors' own (`x-…`) included. */
export function describes(keyword: string): boolean {
  return ANNOTATIONS.has(keyword) || keyword.startsWith("x-");
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
