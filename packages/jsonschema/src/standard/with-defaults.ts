import { isJsonObject } from "../schema.ts";
import type { CheckResult, Validator } from "../validator.ts";

/** A check that applies defaults first, where the schema has any. */
export function withDefaults<T, D>(
  validator: Pick<Validator<T, D>, "applyDefaults" | "check" | "schema">,
): (value: unknown) => CheckResult<D> {
  let fills: boolean | undefined;
  return (value) => {
    fills ??= mentionsDefaults(validator.schema);
    return validator.check(fills ? validator.applyDefaults(value) : value) as CheckResult<D>;
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
