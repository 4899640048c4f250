import { isRecord } from "@tenon/jsonrpc2/transport";

import { inlineRefs, type Schema } from "./inline-refs.ts";

/** The keywords that are copied unchanged. */
const keywords = [
  "title",
  "description",
  "minimum",
  "maximum",
  "minItems",
  "maxItems",
  "minLength",
  "maxLength",
  "pattern",
  "minProperties",
  "maxProperties",
  "default",
] as const;

/** The formats that each type may have; others make Gemini refuse the whole turn. */
const formats: Readonly<Record<string, readonly unknown[]>> = {
  STRING: ["date-time"],
  NUMBER: ["float", "double"],
  INTEGER: ["int32", "int64"],
};

/**
 * A schema in the subset that Gemini's `Schema` supports. Other keywords are omitted, so the schema
 * may allow more than the server does.
 */
export function geminiSchema(schema: Schema): Schema {
  return gemini(inlineRefs(schema));
}

function gemini(whole: Schema): Schema {
  const schema = withAllOf(whole);
  const types = typesOf(schema);
  const concrete = types.filter((type) => type !== "null");
  const unions = [schema["anyOf"], schema["oneOf"]]
    .flatMap((list) => (Array.isArray(list) ? list : []))
    .filter(isRecord);
  const branches =
    unions.length > 0
      ? unions.filter((branch) => branch["type"] !== "null")
      : concrete.length > 1
        ? concrete.map((type) => ({ ...schema, type }))
        : [];
  const isNullable = types.length > concrete.length || unions.length > branches.length;
  const [only] = branches;
  const { anyOf: _, oneOf: __, ...rest } = schema;
  if (only !== undefined && branches.length === 1) {
    return nullable(gemini({ ...only, ...rest }), isNullable);
  }
  if (branches.length > 1) {
    // Beside `anyOf` nothing else may be said.
    const { description } = schema;
    const about = description === undefined ? {} : { description };
    return { anyOf: branches.map((branch) => nullable(gemini({ ...about, ...branch }), isNullable)) };
  }
  return nullable(single(rest, concrete[0]), isNullable);
}

function nullable(schema: Schema, isNullable: boolean): Schema {
  return isNullable ? { ...schema, nullable: true } : schema;
}

/** A schema of one type. */
function single(schema: Schema, named: string | undefined): Schema {
  const taken = keywords.filter((keyword) => schema[keyword] !== undefined);
  const result: Record<string, unknown> = Object.fromEntries(taken.map((name) => [name, schema[name]]));
  const values = schema["const"] === undefined ? schema["enum"] : [schema["const"]];
  const type = named?.toUpperCase();
  if (type !== undefined) {
    result["type"] = type;
  }
  // Gemini's enums contain only strings. A number as a string would not be the value that the
  // server expects.
  if (Array.isArray(values) && values.every((value) => typeof value === "string")) {
    result["enum"] = values;
    result["type"] = "STRING";
  }
  if (formats[type ?? ""]?.includes(schema["format"]) === true) {
    result["format"] = schema["format"];
  }
  if (isRecord(schema["properties"])) {
    const members = Object.entries(schema["properties"]);
    result["properties"] = Object.fromEntries(
      members.map(([name, member]) => [name, isRecord(member) ? gemini(member) : {}]),
    );
    const required: unknown = schema["required"];
    if (Array.isArray(required)) {
      result["required"] = required.filter((name) => members.some(([known]) => known === name));
    }
  }
  if (isRecord(schema["items"])) {
    result["items"] = gemini(schema["items"]);
  } else if (type === "ARRAY") {
    result["items"] = {};
  }
  return result;
}

/** The types that a schema names, or that its values have. */
function typesOf(schema: Schema): string[] {
  const named = [schema["type"]].flat().filter((type) => typeof type === "string");
  if (named.length > 0) {
    return named;
  }
  const values = schema["const"] === undefined ? schema["enum"] : [schema["const"]];
  return Array.isArray(values) ? [...new Set(values.map(typeOf))].filter((type) => type !== "object") : [];
}

function typeOf(value: unknown): string {
  return value === null ? "null" : Array.isArray(value) ? "array" : typeof value;
}

/** The constraints of `allOf`, merged into the schema itself. */
function withAllOf(schema: Schema): Schema {
  const { allOf, ...rest } = schema;
  const all = Array.isArray(allOf) ? allOf.filter(isRecord).map(withAllOf) : [];
  return all.reduce<Schema>((sum, part) => {
    const properties = { ...recordOf(part["properties"]), ...recordOf(sum["properties"]) };
    const required = [...listOf(sum["required"]), ...listOf(part["required"])];
    return {
      ...part,
      ...sum,
      ...(Object.keys(properties).length === 0 ? {} : { properties }),
      ...(required.length === 0 ? {} : { required: [...new Set(required)] }),
    };
  }, rest);
}

const recordOf = (value: unknown): Readonly<Record<string, unknown>> => (isRecord(value) ? value : {});
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
