import { isRecord } from "@tenon/base";

/** Returns whether a keyword has a value of the right kind. Others are left out of a schema. */
type Check = (value: unknown) => boolean;

const isText: Check = (value) => typeof value === "string";
const isNumber: Check = (value) => typeof value === "number" && Number.isFinite(value);
const isCount: Check = (value) => Number.isSafeInteger(value) && (value as number) >= 0;
const isFlag: Check = (value) => typeof value === "boolean";

/** The keywords of 2020-12 whose values hold no schema, `type` and `required` apart. */
export const plainKeywords: Readonly<Record<string, Check>> = {
  title: isText,
  description: isText,
  default: (value) => value !== undefined,
  deprecated: isFlag,
  examples: Array.isArray,
  enum: (value) => Array.isArray(value) && value.length > 0,
  const: (value) => value !== undefined,
  multipleOf: (value) => isNumber(value) && (value as number) > 0,
  minimum: isNumber,
  maximum: isNumber,
  minLength: isCount,
  maxLength: isCount,
  minItems: isCount,
  maxItems: isCount,
  uniqueItems: isFlag,
  minContains: isCount,
  maxContains: isCount,
  minProperties: isCount,
  maxProperties: isCount,
  format: isText,
  contentEncoding: isText,
  contentMediaType: isText,
  readOnly: isFlag,
  writeOnly: isFlag,
};

/** The keywords whose value is a schema. */
export const schemaKeywords: readonly string[] = [
  "items",
  "additionalProperties",
  "unevaluatedItems",
  "unevaluatedProperties",
  "propertyNames",
  "contains",
  "not",
  "if",
  "then",
  "else",
];

/** The keywords whose value is a list of schemas. */
export const listKeywords: readonly string[] = ["allOf", "anyOf", "oneOf", "prefixItems"];

/** The keywords whose value is an object of schemas. */
export const mapKeywords: readonly string[] = ["properties", "patternProperties", "dependentSchemas"];

const types: ReadonlySet<unknown> = new Set([
  "string",
  "number",
  "integer",
  "boolean",
  "object",
  "array",
  "null",
]);

/** The types that a `type` names; `undefined` if it names none that JSON Schema knows. */
export function typesOf(value: unknown): readonly string[] | undefined {
  const named = (Array.isArray(value) ? (value as unknown[]) : [value]).filter((one) => types.has(one));
  return named.length === 0 ? undefined : ([...new Set(named)] as string[]);
}

/** Whether a value has a type of JSON Schema. */
export function isOfType(value: unknown, type: string): boolean {
  if (type === "integer") {
    return Number.isInteger(value);
  }
  const kind = value === null ? "null" : Array.isArray(value) ? "array" : typeof value;
  return kind === type;
}

/** Whether a value is a schema of OpenAPI 3.1: an object or a boolean. */
export function isSchema(value: unknown): boolean {
  return isRecord(value) || typeof value === "boolean";
}

/** Whether every validator of 2020-12 can compile a pattern. */
export function isPattern(value: unknown): value is string {
  if (typeof value !== "string") {
    return false;
  }
  try {
    return new RegExp(value, "u").unicode;
  } catch {
    return false;
  }
}
