import { isJsonObject, type JSONSchema } from "../schema.ts";

/** A check that applies defaults first, where the schema has any. */
export function withDefaults<R>(validator: {
  readonly schema: JSONSchema;
  applyDefaults(value: unknown): unknown;
  check(value: unknown): R;
}): (value: unknown) => R {
  let fills: boolean | undefined;
  return (value) => {
    fills ??= mentionsDefaults(validator.schema);
    return validator.check(fills ? validator.applyDefaults(value) : value);
  };
}

// A guess on the safe side: another document may have defaults, and a property may be called `default`.
function mentionsDefaults(schema: unknown): boolean {
  if (Array.isArray(schema)) return schema.some(mentionsDefaults);
  if (!isJsonObject(schema)) return false;
  const { $ref } = schema;
  if ("default" in schema || (typeof $ref === "string" && !$ref.startsWith("#"))) return true;
  return Object.values(schema).some(mentionsDefaults);
}
