import { isRecord, kindOf } from "@tenon/base";

import type { Report } from "../change.ts";
import { inlineRefs } from "./inline-refs.ts";
import { geminiKeys, keysOf } from "./keys.ts";
import type { Schema } from "./keywords.ts";
import { merged, objectRoot } from "./object-root.ts";
import { isLinearPattern } from "./pattern.ts";
import { resolverOf } from "./resolve.ts";
import { tidy } from "./tidy.ts";

/** The keywords that are copied unchanged, by the type that they are about. */
const copied: Readonly<Record<string, readonly string[]>> = {
  STRING: ["minLength", "maxLength", "pattern"],
  NUMBER: ["minimum", "maximum"],
  INTEGER: ["minimum", "maximum"],
  ARRAY: ["minItems", "maxItems"],
  OBJECT: ["minProperties", "maxProperties"],
};

/** The formats that each type may have; others make Gemini refuse the whole turn. */
const formats: Readonly<Record<string, readonly unknown[]>> = {
  STRING: ["date-time"],
  NUMBER: ["float", "double"],
  INTEGER: ["int32", "int64"],
};

/** The keywords by which a schema without a type shows which one it means. */
const hints: readonly (readonly [type: string, keywords: readonly string[]])[] = [
  ["object", ["properties", "required", "additionalProperties", "minProperties", "maxProperties"]],
  ["array", ["items", "prefixItems", "minItems", "maxItems", "uniqueItems", "contains"]],
  ["string", ["minLength", "maxLength", "pattern", "format"]],
  ["number", ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"]],
];

/** A description that is longer is only at the first branch of a union. */
const maxRepeated = 200;

/**
 * A schema in the subset that Gemini's `Schema` supports. Other keywords are omitted, so the schema
 * may allow more than the server does. Every subschema has a type: a schema for any value becomes a
 * union of all types. Properties whose names Gemini rejects have other names: see
 * `fromGeminiArguments`.
 */
export function geminiSchema(schema: Schema): Schema {
  return convert(schema, schema, undefined);
}

/** The same for the schema of a tool, which must be an object. */
export function geminiParameters(schema: Schema, report: Report | undefined): Schema {
  const root = objectRoot(schema, resolverOf(schema), report);
  return convert(root, schema, report);
}

function convert(start: Schema, whole: Schema, report: Report | undefined): Schema {
  const keys = keysOf(whole, geminiKeys);
  const rules = { keys, isPattern: isLinearPattern, report };
  const { schema } = tidy(start, resolverOf(whole), rules);
  let isCut = false;
  const inlined = inlineRefs(schema, () => (isCut = true));
  if (isCut) {
    report?.("cut", "/inputSchema", "References to enclosing schemas, or to very many, were cut.");
  }
  return gemini(inlined, report);
}

/** Resolves no reference: all references were replaced before. */
const nothing = (): undefined => undefined;

function gemini(whole: Schema, report: Report | undefined): Schema {
  const schema = withoutAllOf(whole);
  const types = typesOf(schema);
  const concrete = types.filter((type) => type !== "null");
  const unions = [schema["anyOf"], schema["oneOf"]].flatMap((list) => recordsIn(list));
  const branches = unions.filter((branch) => branch["type"] !== "null" && branch["const"] !== null);
  const isNullable = types.length > concrete.length || unions.length > branches.length;
  const { anyOf: _, oneOf: __, ...rest } = schema;
  const says = branches.some((branch) => saysType(branch));
  if (branches.length === 0 || (!says && concrete.length > 0)) {
    return nullable(ofTypes(rest, concrete, isNullable, report), isNullable);
  }
  // Beside `anyOf` nothing else may be said: an object with alternatives becomes one object.
  if (
    rest["properties"] !== undefined ||
    (concrete.join() === "object" && branches.every((branch) => isObject(branch)))
  ) {
    const flat = branches.every(isObject) ? merged({ ...rest, anyOf: branches }, nothing) : rest;
    return nullable(gemini({ ...flat, type: "object" }, report), isNullable);
  }
  const [only] = branches;
  if (only !== undefined && branches.length === 1) {
    return nullable(gemini({ ...only, ...rest }, report), isNullable);
  }
  const inherited = concrete.length === 1 ? Object.fromEntries(scalarsOf(rest)) : aboutOf(rest);
  return {
    anyOf: branches.flatMap((branch, index) => {
      const above = index > 0 && isLong(rest) ? without(inherited) : inherited;
      const converted = nullable(gemini({ ...above, ...branch }, report), isNullable);
      return (converted["anyOf"] ?? [converted]) as Schema[];
    }),
  };
}

/** Merges `allOf` into the schema itself. */
function withoutAllOf({ allOf, ...schema }: Schema): Schema {
  const parts = recordsIn(allOf);
  const [only] = parts;
  if (only === undefined) {
    return schema;
  }
  const isAlone = ["properties", "anyOf", "oneOf"].every((name) => schema[name] === undefined);
  if (parts.length === 1 && isAlone) {
    return withoutAllOf({ ...only, ...schema });
  }
  const { anyOf, oneOf, ...rest } = schema;
  const unions = { ...(anyOf === undefined ? {} : { anyOf }), ...(oneOf === undefined ? {} : { oneOf }) };
  return { ...merged({ ...rest, allOf }, nothing), ...unions };
}

function isObject(branch: Schema): boolean {
  const types = typesOf(branch);
  return types.length === 0 || types.join() === "object";
}

/** Whether a branch restricts the type, itself or in branches of its own. */
function saysType(branch: Schema): boolean {
  return typesOf(branch).length > 0 || ["anyOf", "oneOf", "allOf"].some((name) => branch[name] !== undefined);
}

function aboutOf({ description }: Schema): Schema {
  return description === undefined ? {} : { description };
}

/** The keywords without objects and lists, which are small enough for each branch. */
function scalarsOf(schema: Schema): [string, unknown][] {
  return Object.entries(schema).filter(([, value]) => typeof value !== "object" || value === null);
}

function isLong({ description }: Schema): boolean {
  return typeof description === "string" && description.length > maxRepeated;
}

function nullable(schema: Schema, isNullable: boolean): Schema {
  if (!isNullable) {
    return schema;
  }
  const branches = schema["anyOf"];
  return Array.isArray(branches)
    ? { anyOf: (branches as Schema[]).map((branch) => nullable(branch, true)) }
    : { ...schema, nullable: true };
}

/** A schema that has one of these types. */
function ofTypes(
  schema: Schema,
  types: readonly string[],
  isNullable: boolean,
  report: Report | undefined,
): Schema {
  const [only, ...more] = types;
  if (only !== undefined && more.length === 0) {
    return single(schema, only, report);
  }
  if (types.length === 0 && isNullable) {
    return single(schema, "string", report);
  }
  if (types.length > 0) {
    return {
      anyOf: types.map((type, index) =>
        single(index > 0 && isLong(schema) ? without(schema) : schema, type, report),
      ),
    };
  }
  report?.("added", "/inputSchema", "A schema without a type became a union of all types.");
  const about = Object.fromEntries(
    ["title", "description"].flatMap((name) => (schema[name] === undefined ? [] : [[name, schema[name]]])),
  );
  return {
    anyOf: anything.map((branch, index) => nullable(index === 0 ? { ...branch, ...about } : branch, true)),
  };
}

function without(schema: Schema): Schema {
  const { description: _, ...rest } = schema;
  return rest;
}

const scalars: readonly Schema[] = ["STRING", "NUMBER", "BOOLEAN", "OBJECT"].map((type) => ({ type }));

/** Every JSON value. Lists of lists have no end, so their items are not described. */
const anything: readonly Schema[] = [...scalars, { type: "ARRAY", items: { anyOf: scalars } }];

/** A schema of one type. */
function single(schema: Schema, named: string, report: Report | undefined): Schema {
  const type = named.toUpperCase();
  const kept = ["title", "description", "default", ...(copied[type] ?? [])];
  const taken = kept.filter((keyword) => schema[keyword] !== undefined);
  const result: Record<string, unknown> = {
    type,
    ...Object.fromEntries(taken.map((name) => [name, schema[name]])),
  };
  if (type === "STRING") {
    Object.assign(result, enumOf(schema));
  }
  if (formats[type]?.includes(schema["format"]) === true) {
    result["format"] = schema["format"];
  }
  if (type === "OBJECT") {
    Object.assign(result, membersOf(schema, report));
  }
  if (type === "ARRAY") {
    result["items"] = gemini(itemsOf(schema), report);
  }
  return result;
}

/**
 * Gemini's enums contain only strings that are not empty. A number as a string would not be the
 * value that the server expects.
 */
function enumOf(schema: Schema): Schema {
  const values = valuesOf(schema)?.filter((value) => value !== null);
  return values !== undefined &&
    values.length > 0 &&
    values.every((value) => typeof value === "string" && value !== "")
    ? { enum: [...new Set(values)] }
    : {};
}

function membersOf({ properties, required }: Schema, report: Report | undefined): Schema {
  if (!isRecord(properties) || Object.keys(properties).length === 0) {
    return {};
  }
  const members = Object.entries(properties).map(([name, member]): [string, Schema] => [
    name,
    gemini(isRecord(member) ? member : {}, report),
  ]);
  // Gemini refuses a required property that it does not know.
  const known = (Array.isArray(required) ? required : []).filter((name) =>
    Object.hasOwn(properties, String(name)),
  );
  return { properties: Object.fromEntries(members), ...(known.length === 0 ? {} : { required: known }) };
}

/** Gemini has no lists whose places differ: each item is as any place says. */
function itemsOf({ items, prefixItems }: Schema): Schema {
  const places = recordsIn(prefixItems);
  const rest = isRecord(items) ? [items] : items === undefined ? [{}] : [];
  if (places.length === 0) {
    return rest[0] ?? {};
  }
  // JSON Schema allows further items of any type, but the author of a tuple does not mean them.
  return { anyOf: isRecord(items) && Object.keys(items).length > 0 ? [...places, ...rest] : places };
}

function valuesOf(schema: Schema): readonly unknown[] | undefined {
  const values = schema["const"] === undefined ? schema["enum"] : [schema["const"]];
  return Array.isArray(values) ? values : undefined;
}

/** The types that a schema names, that its values have, or that its keywords are about. */
function typesOf(schema: Schema): readonly string[] {
  const named = [schema["type"]].flat().filter((type) => typeof type === "string");
  if (named.length > 0) {
    return named;
  }
  const values = valuesOf(schema);
  if (values !== undefined) {
    return [...new Set(values.map(kindOf))];
  }
  return hints
    .filter(([, keywords]) => keywords.some((name) => schema[name] !== undefined))
    .slice(0, 1)
    .map(([type]) => type);
}

function recordsIn(list: unknown): Schema[] {
  return Array.isArray(list) ? list.filter(isRecord) : [];
}
