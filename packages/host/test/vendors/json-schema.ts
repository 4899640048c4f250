// What makes a schema a valid one of JSON Schema draft 2020-12, as data: its meta-schemas
// (https://json-schema.org/draft/2020-12/schema, read 2026-11) in our own words.

export type Schema = Readonly<Record<string, unknown>>;

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const isText = (value: unknown): boolean => typeof value === "string";
const isNumber = (value: unknown): boolean => typeof value === "number" && Number.isFinite(value);
const isCount = (value: unknown): boolean => Number.isInteger(value) && (value as number) >= 0;
const isFlag = (value: unknown): boolean => typeof value === "boolean";
const isNames = (value: unknown): boolean =>
  Array.isArray(value) && value.every(isText) && new Set(value).size === value.length;
const types = ["array", "boolean", "integer", "null", "number", "object", "string"];
const isType = (value: unknown): boolean => types.includes(value as string);
const isRegExp = (value: unknown): boolean => {
  try {
    return typeof value === "string" && new RegExp(value, "u") instanceof RegExp;
  } catch {
    return false;
  }
};

/** Keywords whose values are not schemas, and what their values must be. */
export const plain: Readonly<Record<string, (value: unknown) => boolean>> = {
  type: (value) =>
    isType(value) || (isNames(value) && (value as string[]).length > 0 && (value as string[]).every(isType)),
  enum: Array.isArray,
  const: () => true,
  default: () => true,
  examples: Array.isArray,
  title: isText,
  description: isText,
  format: isText,
  contentEncoding: isText,
  contentMediaType: isText,
  $ref: isText,
  $schema: isText,
  $comment: isText,
  pattern: isRegExp,
  minimum: isNumber,
  maximum: isNumber,
  exclusiveMinimum: isNumber,
  exclusiveMaximum: isNumber,
  multipleOf: (value) => isNumber(value) && (value as number) > 0,
  minLength: isCount,
  maxLength: isCount,
  minItems: isCount,
  maxItems: isCount,
  minContains: isCount,
  maxContains: isCount,
  minProperties: isCount,
  maxProperties: isCount,
  uniqueItems: isFlag,
  deprecated: isFlag,
  readOnly: isFlag,
  writeOnly: isFlag,
  required: isNames,
  dependentRequired: (value) => isObject(value) && Object.values(value).every(isNames),
};

/** Keywords with one schema, with a list, and with schemas by name. */
export const single: readonly string[] = [
  "items",
  "contains",
  "additionalProperties",
  "propertyNames",
  "unevaluatedItems",
  "unevaluatedProperties",
  "not",
  "if",
  "then",
  "else",
];
export const lists: readonly string[] = ["anyOf", "oneOf", "allOf", "prefixItems"];
export const maps: readonly string[] = ["properties", "patternProperties", "dependentSchemas", "$defs"];

/** One problem: where, and what the vendor would say. */
export type Problem = string;

/** The schemas directly in a schema, with their places. */
export function children(schema: Schema, at: string): [place: string, child: unknown][] {
  return [
    ...single.filter((key) => key in schema).map((key): [string, unknown] => [`${at}/${key}`, schema[key]]),
    ...lists.flatMap((key) =>
      Array.isArray(schema[key])
        ? (schema[key] as unknown[]).map((child, index): [string, unknown] => [
            `${at}/${key}/${index}`,
            child,
          ])
        : [],
    ),
    ...maps.flatMap((key) =>
      isObject(schema[key])
        ? Object.entries(schema[key]).map(([name, child]): [string, unknown] => [
            `${at}/${key}/${name}`,
            child,
          ])
        : [],
    ),
  ];
}

/** Calls `visit` with every schema in a schema, at any depth. */
export function walk(root: unknown, visit: (schema: Schema, at: string) => void): void {
  const waiting: [string, unknown][] = [["", root]];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const [at, schema] = next;
    if (isObject(schema)) {
      visit(schema, at);
      waiting.push(...children(schema, at));
    }
  }
}

/**
 * Why a value is not valid in the JSON of a request: "The request body is not valid JSON: no low
 * surrogate in string" (claude-code#5934, 2025-08; playwright-mcp#1410, 2026-02).
 */
export function textProblems(value: unknown): Problem[] {
  return /\\ud[89a-f]/.test(JSON.stringify(value)) ? ["no low surrogate in string"] : [];
}

/** Why a value is not a valid schema of draft 2020-12; empty if it is one. */
export function draftProblems(root: unknown): Problem[] {
  const problems = textProblems(root);
  const schemas = new Map<string, unknown>();
  walkAll(root, "", (schema, at) => {
    schemas.set(at, schema);
    if (typeof schema !== "boolean" && !isObject(schema)) {
      problems.push(`${at}: ${JSON.stringify(schema)} is not of type 'object', 'boolean'`);
    }
    if (!isObject(schema)) {
      return;
    }
    for (const [keyword, value] of Object.entries(schema)) {
      const check = Object.hasOwn(plain, keyword) ? plain[keyword] : undefined;
      if (check !== undefined && !check(value)) {
        problems.push(`${at}/${keyword}: ${JSON.stringify(value)} is not valid`);
      }
      if (lists.includes(keyword) && !(Array.isArray(value) && value.length > 0)) {
        problems.push(`${at}/${keyword}: should be a list that is not empty`);
      }
      if (maps.includes(keyword) && !isObject(value)) {
        problems.push(`${at}/${keyword}: ${JSON.stringify(value)} is not of type 'object'`);
      }
    }
  });
  for (const [at, schema] of schemas) {
    const ref = isObject(schema) ? schema["$ref"] : undefined;
    if (typeof ref === "string" && !schemas.has(ref.slice(1))) {
      problems.push(`${at}/$ref: ${ref} was not found in the schema`);
    }
  }
  return problems;
}

function walkAll(root: unknown, from: string, visit: (schema: unknown, at: string) => void): void {
  const waiting: [string, unknown][] = [[from, root]];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const [at, schema] = next;
    visit(schema, at);
    if (isObject(schema)) {
      waiting.push(...children(schema, at));
    }
  }
}
