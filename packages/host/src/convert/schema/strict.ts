import { isRecord } from "@tenon/base";

import type { Schema } from "./keywords.ts";
import { isLinearPattern } from "./pattern.ts";
import { resolverOf } from "./resolve.ts";
import { tidy, type Tidied } from "./tidy.ts";

/** The keywords of strict mode that are copied. */
const copied: ReadonlySet<string> = new Set(["type", "description", "title", "enum", "const"]);

const numeric = ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"];

/** The keywords of strict mode that apply to one type only. */
const aboutType: Readonly<Record<string, readonly string[]>> = {
  string: ["format", "pattern"],
  number: numeric,
  integer: numeric,
  array: ["minItems", "maxItems", "items"],
  object: ["properties", "required", "additionalProperties"],
};
const typed: ReadonlySet<string> = new Set(Object.values(aboutType).flat());

/** The keywords that only describe. Strict mode rejects some of them. */
const described = new Set([
  "description",
  "title",
  "default",
  "examples",
  "deprecated",
  "readOnly",
  "writeOnly",
]);

/** The formats that strict mode knows. */
const strictFormats: ReadonlySet<unknown> = new Set([
  "date-time",
  "time",
  "date",
  "duration",
  "email",
  "hostname",
  "ipv4",
  "ipv6",
  "uuid",
]);

/** The published limits of strict mode. */
const limits = {
  depth: 10,
  properties: 5000,
  values: 1000,
  characters: 120_000,
  longEnum: 250,
  enumCharacters: 15_000,
} as const;

const converted = new WeakMap<Schema, { readonly strict: Schema | undefined }>();

/**
 * A schema for OpenAI's strict mode: every object is closed, every property is required (optional
 * properties may be `null`), and `default` is omitted. References and recursion stay, because
 * strict mode knows them. Returns `undefined` if strict mode cannot express the schema: open
 * objects, other keywords and formats, values of any type, more than ten levels, a union at the
 * root.
 */
export function strictSchema(schema: Schema): Schema | undefined {
  const known = converted.get(schema) ?? { strict: convert(schema) };
  converted.set(schema, known);
  return known.strict;
}

const tidied = new WeakMap<Schema, Tidied>();

/** The schema of which strict mode is derived, in the words of 2020-12. */
export function strictSource(schema: Schema): Tidied {
  const known =
    tidied.get(schema) ??
    tidy(rootOf(schema), resolverOf(schema), { isPattern: isLinearPattern, readsNullable: false });
  tidied.set(schema, known);
  return known;
}

/** Replaces a reference at the root by its target. */
function rootOf(schema: Schema): Schema {
  const { $ref, ...rest } = schema;
  const target = typeof $ref === "string" ? resolverOf(schema)($ref) : undefined;
  return isRecord(target) && target !== schema ? { ...target, ...rest } : schema;
}

function convert(schema: Schema): Schema | undefined {
  const { schema: source, isLossy } = strictSource(schema);
  const { $defs = {}, ...root } = source as { readonly $defs?: Record<string, Schema> };
  const isObject =
    source["type"] === "object" && source["anyOf"] === undefined && source["allOf"] === undefined;
  if (isLossy || !isObject || heightOf(root, $defs, new Map()) > limits.depth) {
    return undefined;
  }
  const parameters = strict(root);
  const definitions: [string, Schema][] = [];
  for (const [name, definition] of Object.entries($defs)) {
    const one = strict(definition);
    if (one === undefined) {
      return undefined;
    }
    definitions.push([name, one]);
  }
  if (parameters === undefined || !isWithinLimits([parameters, ...definitions.map(([, one]) => one)])) {
    return undefined;
  }
  return definitions.length === 0 ? parameters : { ...parameters, $defs: Object.fromEntries(definitions) };
}

function strict(schema: Schema): Schema | undefined {
  const { $ref, anyOf, allOf, description } = schema;
  const others = Object.keys(schema).filter((keyword) => !described.has(keyword));
  const about = description === undefined ? {} : { description };
  if ($ref !== undefined) {
    // The API rejects other keywords next to a reference.
    return others.length > 1
      ? undefined
      : description === undefined
        ? { $ref }
        : { ...about, anyOf: [{ $ref }] };
  }
  if (allOf !== undefined) {
    const [only, ...more] = (allOf as Schema[]).map((part) => ({ ...part, ...about }));
    return others.length > 1 || more.length > 0 || only === undefined ? undefined : strict(only);
  }
  if (anyOf !== undefined) {
    const rest = others.filter((keyword) => keyword !== "anyOf");
    const branches = (anyOf as Schema[]).map((branch) => strict(branch));
    // A type next to the branches is redundant if every branch has it.
    const isCommon =
      rest.length === 0 ||
      (rest.join() === "type" && (anyOf as Schema[]).every(({ type }) => type === schema["type"]));
    return isCommon && branches.every((branch) => branch !== undefined)
      ? { ...titled(schema), anyOf: branches }
      : undefined;
  }
  const types = strictTypes(schema);
  const [type, ...more] = types;
  if (type === undefined || !isAllowed(schema, types)) {
    return undefined;
  }
  if (more.length === 0) {
    return oneType(schema, type);
  }
  const isNested = types.some((one) => one === "object" || one === "array");
  if (!isNested) {
    return { ...copiedOf(schema, types), type: types };
  }
  const { title: _, description: __, ...rest } = schema;
  const branches = types.map((one) => oneType(rest, one));
  return branches.every((branch) => branch !== undefined)
    ? { ...titled(schema), anyOf: branches }
    : undefined;
}

function titled({ title, description }: Schema): Schema {
  return { ...(title === undefined ? {} : { title }), ...(description === undefined ? {} : { description }) };
}

function isAllowed(schema: Schema, types: readonly string[]): boolean {
  const format = types.includes("string") ? schema["format"] : undefined;
  return (
    (format === undefined || strictFormats.has(format)) &&
    Object.keys(schema).every(
      (keyword) => copied.has(keyword) || described.has(keyword) || typed.has(keyword),
    )
  );
}

function oneType(schema: Schema, type: string): Schema | undefined {
  const { items: list, properties: known, ...rest } = schema;
  const result: Record<string, unknown> = { ...copiedOf(rest, [type]), type };
  if (type === "array") {
    const items = isRecord(list) ? strict(list) : undefined;
    return items === undefined || hasValues(schema) ? undefined : { ...result, items };
  }
  if (type !== "object") {
    return result;
  }
  const properties = known ?? {};
  const { required = [], additionalProperties = false } = schema;
  if (additionalProperties !== false || hasValues(schema)) {
    return undefined;
  }
  // An object schema without `additionalProperties` is open; the model gets the known properties.
  const members = Object.entries(properties as Record<string, Schema>);
  const wanted = new Set(required as readonly string[]);
  if ([...wanted].some((name) => !Object.hasOwn(properties, name))) {
    return undefined;
  }
  const entries: [string, Schema][] = [];
  for (const [name, member] of members) {
    const one = strict(member);
    if (one === undefined) {
      return undefined;
    }
    entries.push([name, wanted.has(name) ? one : { anyOf: [one, { type: "null" }] }]);
  }
  return {
    ...result,
    properties: Object.fromEntries(entries),
    required: members.map(([name]) => name),
    additionalProperties: false,
  };
}

function hasValues(schema: Schema): boolean {
  return schema["enum"] !== undefined || schema["const"] !== undefined;
}

function copiedOf(schema: Schema, types: readonly string[]): Record<string, unknown> {
  const wanted = new Set(types.flatMap((type) => aboutType[type] ?? []));
  return Object.fromEntries(
    Object.entries(schema).filter(([keyword]) => copied.has(keyword) || wanted.has(keyword)),
  );
}

/** The types of a schema, declared or inferred. Strict mode requires a type everywhere. */
export function strictTypes(schema: Schema): readonly string[] {
  const named = [schema["type"]].flat().filter((type) => typeof type === "string");
  if (named.length > 0) {
    return named;
  }
  const values = schema["const"] === undefined ? schema["enum"] : [schema["const"]];
  if (Array.isArray(values)) {
    return [...new Set(values.map(typeOf))];
  }
  return schema["properties"] !== undefined ? ["object"] : schema["items"] !== undefined ? ["array"] : [];
}

function typeOf(value: unknown): string {
  return value === null
    ? "null"
    : Array.isArray(value)
      ? "array"
      : Number.isInteger(value)
        ? "integer"
        : typeof value;
}

/** How many levels of objects and lists are below a schema. Recursion adds none. */
function heightOf(
  schema: Schema,
  definitions: Readonly<Record<string, Schema>>,
  known: Map<string, number>,
): number {
  const below = (one: unknown): number => (isRecord(one) ? heightOf(one, definitions, known) : 0);
  let height = 0;
  const { $ref, properties, items, anyOf, allOf } = schema;
  if (typeof $ref === "string") {
    const name = $ref.slice("#/$defs/".length);
    const found = known.get(name);
    if (found === undefined) {
      known.set(name, 0);
      known.set(name, below(definitions[name]));
    }
    height = known.get(name) ?? 0;
  }
  for (const member of [
    ...Object.values(isRecord(properties) ? properties : {}),
    ...(isRecord(items) ? [items] : []),
  ]) {
    height = Math.max(height, 1 + below(member));
  }
  for (const branch of [anyOf, allOf].flat()) {
    height = Math.max(height, below(branch));
  }
  return height;
}

function isWithinLimits(schemas: readonly Schema[]): boolean {
  let [properties, values, characters] = [0, 0, 0];
  const count = (list: readonly unknown[]): boolean => {
    const text = list.reduce<number>((sum, value) => sum + (typeof value === "string" ? value.length : 0), 0);
    values += list.length;
    characters += text;
    return list.length <= limits.longEnum || text <= limits.enumCharacters;
  };
  const waiting: unknown[] = [...schemas];
  while (waiting.length > 0) {
    const schema = waiting.pop();
    if (isRecord(schema)) {
      const names = Object.keys(isRecord(schema["properties"]) ? schema["properties"] : {});
      properties += names.length;
      characters += names.reduce((sum, name) => sum + name.length, 0);
      if (Array.isArray(schema["enum"]) && !count(schema["enum"])) {
        return false;
      }
      characters += typeof schema["const"] === "string" ? schema["const"].length : 0;
      waiting.push(
        ...Object.values(schema["properties"] ?? {}),
        schema["items"],
        ...[schema["anyOf"] ?? []].flat(),
      );
    }
  }
  return properties <= limits.properties && values <= limits.values && characters <= limits.characters;
}
