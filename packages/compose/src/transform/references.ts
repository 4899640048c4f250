import { isRecord } from "@tenon/base";

/** Keywords whose values are schemas by name, and keywords whose values are not schemas. */
const byName: ReadonlySet<string> = new Set([
  "properties",
  "patternProperties",
  "dependentSchemas",
  "$defs",
  "definitions",
]);
const references: ReadonlySet<string> = new Set(["$ref", "$dynamicRef"]);
const instances: ReadonlySet<string> = new Set(["const", "enum", "default", "examples"]);

/**
 * A copy of a schema with other references. Only references into the schema itself, such as
 * `#/properties/a` or `#anchor`, are changed: a subschema with an `$id` has its own.
 *
 * @param change - Returns the new reference.
 */
export function withReferences(
  schema: Readonly<Record<string, unknown>>,
  change: (ref: string) => string,
): Record<string, unknown> {
  const members = (value: Readonly<Record<string, unknown>>): Record<string, unknown> =>
    Object.fromEntries(Object.entries(value).map(([name, member]) => [name, visited(member)]));

  function visited(value: unknown): unknown {
    if (Array.isArray(value)) {
      return value.map(visited);
    }
    return isRecord(value) && typeof value["$id"] !== "string" ? keywords(value) : value;
  }

  function keywords(value: Readonly<Record<string, unknown>>): Record<string, unknown> {
    return Object.fromEntries(
      Object.entries(value).map(([keyword, member]) => {
        if (references.has(keyword) && typeof member === "string" && member.startsWith("#")) {
          return [keyword, change(member)];
        }
        if (instances.has(keyword)) {
          return [keyword, member];
        }
        return [keyword, byName.has(keyword) && isRecord(member) ? members(member) : visited(member)];
      }),
    );
  }

  return keywords(schema);
}

/** A name that is not taken. */
export function freeName(wanted: string, taken: ReadonlyMap<string, unknown>): string {
  let name = wanted;
  while (taken.has(name)) {
    name += "_";
  }
  return name;
}

/** A reference to a schema by name, such as `#/properties/a`. */
export function referenceTo(keyword: string, name: string): string {
  return `#/${keyword}/${encodeURIComponent(name.replaceAll("~", "~0").replaceAll("/", "~1")).replaceAll("%7E", "~")}`;
}

/** The property that a reference leads to or into, and the rest of the reference. */
export function propertyIn(ref: string): { readonly name: string; readonly rest: string } | undefined {
  const [, token, rest = ""] = /^#\/properties\/([^/]*)(\/.*)?$/s.exec(ref) ?? [];
  try {
    return token === undefined
      ? undefined
      : { name: decodeURIComponent(token).replaceAll("~1", "/").replaceAll("~0", "~"), rest };
  } catch {
    // It leads nowhere.
    return undefined;
  }
}
