/** A JSON Schema node as read from a file: nothing about it is known yet. */
export type Schema = { [keyword: string]: unknown };

/** The definitions of one protocol revision, by name. */
export type Definitions = { [name: string]: Schema };

/** A schema document: `$schema` and the definitions, under the key that its dialect uses. */
export interface SchemaDocument {
  /** Dialect URI, kept as upstream writes it. */
  readonly dialect: string;
  /** `definitions` (draft-07) or `$defs` (2020-12). */
  readonly container: "definitions" | "$defs";
  readonly definitions: Definitions;
}

/** Keywords whose value is one schema. */
const schemaKeywords = [
  "items",
  "additionalProperties",
  "not",
  "contains",
  "propertyNames",
  "if",
  "then",
  "else",
];
/** Keywords whose value is a list of schemas. */
const schemaListKeywords = ["anyOf", "oneOf", "allOf", "prefixItems"];
/** Keywords whose value is a map of schemas. */
const schemaMapKeywords = ["properties", "patternProperties", "dependentSchemas"];
/** Keywords that say nothing about validity: they are prose, not structure. */
export const proseKeywords = ["description", "$comment", "title", "examples"];

/** A key as one step of a JSON pointer (RFC 6901). */
export function escapePointer(key: string): string {
  return key.replaceAll("~", "~0").replaceAll("/", "~1");
}

/** True when `value` is a JSON object. */
export function isSchema(value: unknown): value is Schema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The value of a map keyword such as `properties`, or an empty map. */
export function mapOf(schema: Schema, keyword: string): { [name: string]: Schema } {
  const value = schema[keyword];
  return isSchema(value) ? (value as { [name: string]: Schema }) : {};
}

/** The value of a list keyword such as `anyOf`, or an empty list. */
export function listOf(schema: Schema, keyword: string): Schema[] {
  const value = schema[keyword];
  return Array.isArray(value) ? value.filter(isSchema) : [];
}

/** The strings of a keyword such as `required`, or an empty list. */
export function stringsOf(schema: Schema, keyword: string): string[] {
  const value = schema[keyword];
  return Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];
}

/** The name of the definition that `schema` refers to, if it is a reference to one. */
export function refName(schema: unknown): string | undefined {
  if (!isSchema(schema) || typeof schema["$ref"] !== "string") {
    return undefined;
  }
  return /^#\/(?:\$defs|definitions)\/([^/]+)$/.exec(schema["$ref"])?.[1];
}

/** The constant string of a field such as `method`, if the schema fixes one. */
export function constOf(schema: unknown, field: string): string | undefined {
  const value = isSchema(schema) ? mapOf(schema, "properties")[field]?.["const"] : undefined;
  return typeof value === "string" ? value : undefined;
}

/** Rebuilds a node with `change` applied to each direct child in schema position. */
export function mapChildren(schema: Schema, change: (child: Schema, step: string) => Schema): Schema {
  const out: Schema = {};
  for (const [keyword, value] of Object.entries(schema)) {
    if (schemaMapKeywords.includes(keyword) && isSchema(value)) {
      out[keyword] = Object.fromEntries(
        Object.entries(value).map(([name, child]) => [
          name,
          isSchema(child) ? change(child, `.${name}`) : child,
        ]),
      );
    } else if (schemaListKeywords.includes(keyword) && Array.isArray(value)) {
      out[keyword] = value.map((child: unknown) => (isSchema(child) ? change(child, "") : child));
    } else if (schemaKeywords.includes(keyword) && isSchema(value)) {
      out[keyword] = change(
        value,
        keyword === "items" ? "[]" : keyword === "additionalProperties" ? "{}" : "",
      );
    } else {
      out[keyword] = value;
    }
  }
  return out;
}

/**
 * Rebuilds a whole definition, children first. `path` names a node the way the description files
 * do: `Tool.icons[].src`, with `[]` for the items of an array and `{}` for the values of a map;
 * members of a union share the path of the union.
 */
export function rewrite(
  schema: Schema,
  path: string,
  change: (node: Schema, path: string) => Schema,
): Schema {
  return change(
    mapChildren(schema, (child, step) => rewrite(child, path + step, change)),
    path,
  );
}

/** Applies {@link rewrite} to every definition. */
export function rewriteAll(
  definitions: Definitions,
  change: (node: Schema, path: string) => Schema,
): Definitions {
  return Object.fromEntries(
    Object.entries(definitions).map(([name, schema]) => [name, rewrite(schema, name, change)]),
  );
}

/**
 * Text that is equal for two values exactly when they are equal as JSON, whatever the order of
 * their keys.
 */
export function canonical(value: unknown): string {
  if (Array.isArray(value)) {
    return `[${value.map(canonical).join(",")}]`;
  }
  if (!isSchema(value)) {
    return JSON.stringify(value);
  }
  const keys = Object.keys(value).sort();
  return `{${keys.map((key) => `${JSON.stringify(key)}:${canonical(value[key])}`).join(",")}}`;
}

/** The entries of a record in the order of its keys. */
export function sorted<T>(record: { readonly [key: string]: T }): [string, T][] {
  return Object.entries(record).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
}
