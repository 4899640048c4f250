import { isRecord } from "@tenon/base";

/** A JSON Schema. */
export type Schema = Readonly<Record<string, unknown>>;

/** The kinds of values that keywords have. */
export type Kind =
  | "text"
  | "pattern"
  | "number"
  | "positive"
  | "count"
  | "flag"
  | "names"
  | "namesByName"
  | "schema"
  | "schemas"
  | "schemasByName"
  | "schemasByPattern"
  | "value"
  | "values"
  | "type";

/** The keywords of JSON Schema 2020-12 that say something about a value, and their kinds. */
export const keywords: ReadonlyMap<string, Kind> = new Map<string, Kind>([
  ...all("text", "title", "description", "format", "contentEncoding", "contentMediaType"),
  ...all("pattern", "pattern"),
  ...all("number", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"),
  ...all("positive", "multipleOf"),
  ...all("count", "minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties"),
  ...all("count", "minContains", "maxContains"),
  ...all("flag", "uniqueItems", "deprecated", "readOnly", "writeOnly"),
  ...all("names", "required"),
  ...all("namesByName", "dependentRequired"),
  ...all("schema", "items", "additionalProperties", "contains", "propertyNames", "not", "if", "then", "else"),
  ...all("schema", "unevaluatedItems", "unevaluatedProperties"),
  ...all("schemas", "prefixItems", "anyOf", "oneOf", "allOf"),
  ...all("schemasByName", "properties", "dependentSchemas"),
  ...all("schemasByPattern", "patternProperties"),
  ...all("value", "const", "default"),
  ...all("values", "enum", "examples"),
  ...all("type", "type"),
]);

function all(kind: Kind, ...names: readonly string[]): [string, Kind][] {
  return names.map((name) => [name, kind]);
}

/**
 * The schemas that are directly in a schema, in any draft's place, references not followed. What
 * has the place of a schema is one, whatever it looks like.
 */
export function* subschemas(schema: Schema): Generator<unknown, void> {
  for (const [keyword, value] of Object.entries(schema)) {
    if (schemaMaps.has(keyword)) {
      if (isRecord(value)) {
        yield* Object.values(value);
      }
    } else if (keywords.get(keyword) === "schemas" || (keyword === "items" && Array.isArray(value))) {
      if (Array.isArray(value)) {
        yield* value as unknown[];
      }
    } else if (keywords.get(keyword) === "schema" || keyword === "additionalItems") {
      yield value;
    }
  }
}

/** The keywords whose properties are schemas. */
const schemaMaps: ReadonlySet<string> = new Set([
  "properties",
  "patternProperties",
  "dependentSchemas",
  "dependencies",
  "$defs",
  "definitions",
]);

/** All schemas in a schema, the schema included. Takes linear time, at any depth. */
export function* everySchema(root: unknown): Generator<Schema, void> {
  const waiting: unknown[] = [root];
  const seen = new Set<unknown>();
  while (waiting.length > 0) {
    const schema = waiting.pop();
    if (isRecord(schema) && !seen.has(schema)) {
      seen.add(schema);
      yield schema;
      waiting.push(...[...subschemas(schema)].toReversed());
    }
  }
}
