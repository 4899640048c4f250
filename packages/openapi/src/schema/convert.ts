import { isRecord } from "@tenon/base";

import { partsOf } from "../document/parts.ts";
import type { Pointers } from "../document/pointer.ts";
import { listOf, membersOf, type Members } from "../document/values.ts";
import { discriminated } from "./discriminator.ts";
import {
  isOfType,
  isPattern,
  isSchema,
  listKeywords,
  mapKeywords,
  plainKeywords,
  schemaKeywords,
  typesOf,
} from "./keywords.ts";

/** `input`: values that are sent, without what is read-only. `output`: values that are received. */
export type Direction = "input" | "output";

/** A JSON Schema of 2020-12. */
export type Schema = Record<string, unknown> | boolean;

/** The way from a document to its schemas. */
export interface Conversion {
  readonly direction: Direction;
  readonly pointers: Pointers;
  /** Whether keywords next to a reference apply. Before OpenAPI 3.1 they do not. */
  readonly keepsSiblings: boolean;
  /**
   * Names that values of this direction do not have, by another part of the same value. Default:
   * none.
   */
  readonly hidden?: ReadonlySet<unknown> | undefined;
  /** Whether a schema that forbids additional properties is composed with others by `allOf`. */
  isComposed(schema: unknown): boolean;
  /** The `$ref` for a reference of the document; `undefined` if it leads nowhere. */
  refer(reference: string): string | undefined;
  /** Called with each keyword that had to be left out. */
  warn(message: string): void;
}

/**
 * Converts a schema of Swagger 2.0 or OpenAPI 3.x to JSON Schema 2020-12. Keywords whose values are
 * not valid are left out, so that the result always compiles; the result then accepts more.
 */
export function convertSchema(value: unknown, conversion: Conversion): Schema {
  if (typeof value === "boolean") {
    return value;
  }
  if (!isRecord(value)) {
    return {};
  }
  const reference = value["$ref"];
  const converted =
    typeof reference === "string" ? referred(value, reference, conversion) : own(value, conversion);
  return isNullable(value) ? orNull(converted) : converted;
}

function isNullable(schema: Members): boolean {
  return schema["nullable"] === true || schema["x-nullable"] === true;
}

function referred(schema: Members, reference: string, conversion: Conversion): Record<string, unknown> {
  const target = conversion.refer(reference);
  if (target === undefined) {
    conversion.warn(`the reference ${JSON.stringify(reference.slice(0, 200))} leads nowhere`);
  }
  const siblings = conversion.keepsSiblings ? own(schema, conversion) : described(schema);
  return target === undefined ? siblings : { ...siblings, $ref: target };
}

/** The annotations that are kept next to a reference. */
function described(schema: Members): Record<string, unknown> {
  return Object.fromEntries(
    ["title", "description", "default", "deprecated"].flatMap((name) =>
      plainKeywords[name]?.(schema[name]) === true ? [[name, schema[name]]] : [],
    ),
  );
}

function own(schema: Members, conversion: Conversion): Record<string, unknown> {
  const result: Record<string, unknown> = {};
  const hidden = new Set([...hiddenNames(schema, conversion), ...(conversion.hidden ?? [])]);
  // Properties and items are values of their own.
  const below = conversion.hidden === undefined ? conversion : { ...conversion, hidden: undefined };
  const convert = (value: unknown): Schema => convertSchema(value, below);
  const named = typesOf(schema["type"]);
  // Kubernetes has a port that is a number or a name, and its document calls both a string.
  const isEither = schema["format"] === "int-or-string" && named?.includes("string") === true;
  const types = isEither ? [...new Set(["integer", ...named])] : named;
  if (types !== undefined) {
    result["type"] = types.length === 1 ? types[0] : types;
  } else if (schema["type"] === "file") {
    Object.assign(result, { type: "string", format: "binary" });
  } else if (schema["type"] !== undefined) {
    conversion.warn(`the type ${JSON.stringify(schema["type"])?.slice(0, 100)} does not exist`);
  }
  for (const [name, check] of Object.entries(plainKeywords)) {
    if (schema[name] === undefined) {
      continue;
    }
    if (check(schema[name])) {
      result[name] = schema[name];
    } else {
      conversion.warn(`the keyword ${name} has a value that it cannot have`);
    }
  }
  copyExamples(schema, result);
  copyBounds(schema, result);
  if (Array.isArray(result["enum"])) {
    const values = distinct(result["enum"]);
    result["enum"] = values;
    const isOfOwnType = (value: unknown): boolean =>
      types?.some((type) => isOfType(value, type)) === true || (value === null && isNullable(schema));
    if (types !== undefined && !values.some(isOfOwnType)) {
      delete result["type"];
      conversion.warn(`no value of its enum has the type ${types.join(" or ")}`);
    }
  }
  if (isPattern(schema["pattern"])) {
    result["pattern"] = schema["pattern"];
  } else if (schema["pattern"] !== undefined) {
    conversion.warn(`the pattern ${JSON.stringify(schema["pattern"])?.slice(0, 100)} is not valid`);
  }
  for (const name of schemaKeywords) {
    const value = schema[name];
    const isContradiction =
      name === "additionalProperties" && value === false && conversion.isComposed(schema);
    if (isContradiction) {
      continue;
    }
    if (isSchema(value)) {
      result[name] = convert(value);
    } else if (name === "items" && Array.isArray(value) && value.length > 0) {
      result["prefixItems"] = value.map(convert);
    }
  }
  for (const name of listKeywords) {
    const list = listOf(schema[name]).filter(isSchema);
    if (list.length > 0) {
      const isBeside = name !== "prefixItems" && hidden.size > 0;
      result[name] = list.map((each) => convertSchema(each, isBeside ? { ...below, hidden } : below));
    }
  }
  for (const name of mapKeywords) {
    if (isRecord(schema[name])) {
      result[name] = mapOf(schema[name], below);
    }
  }
  copyRequired(schema, result, hidden);
  // Without its prohibition, a class matches the values of the classes that inherit from it.
  const isAmbiguous =
    discriminated(schema, result, conversion) ||
    listOf(schema["oneOf"]).some((one) =>
      partsOf(one, conversion.pointers).some((part) => conversion.isComposed(part)),
    );
  return separated(result, isAmbiguous ? "anyOf" : "oneOf");
}

/** Moves `oneOf` next to an `anyOf` into `allOf`, so that it can become an `anyOf` of its own. */
function separated(
  { oneOf, ...others }: Record<string, unknown>,
  keyword: "oneOf" | "anyOf",
): Record<string, unknown> {
  if (oneOf === undefined) {
    return others;
  }
  return others["anyOf"] === undefined
    ? { ...others, [keyword]: oneOf }
    : { ...others, allOf: [...listOf(others["allOf"]), { [keyword]: oneOf }] };
}

/** The properties of a direction: read-only values are not sent, write-only values not received. */
function mapOf(schemas: Members, conversion: Conversion): Record<string, unknown> {
  const result: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(schemas)) {
    if (isSchema(value) && !isOfOtherDirection(value, conversion)) {
      // Not an assignment: the name may be `__proto__`.
      Object.defineProperty(result, name, {
        value: convertSchema(value, conversion),
        enumerable: true,
        configurable: true,
        writable: true,
      });
    }
  }
  return result;
}

/** Whether values of the other direction only have this property. */
export function isOfOtherDirection(value: unknown, { direction, pointers }: Conversion): boolean {
  const schema = membersOf(pointers.follow(value));
  const keyword = direction === "input" ? "readOnly" : "writeOnly";
  return schema[keyword] === true || membersOf(value)[keyword] === true;
}

function copyExamples(schema: Members, result: Record<string, unknown>): void {
  if (result["examples"] === undefined && schema["example"] !== undefined) {
    result["examples"] = [schema["example"]];
  }
}

/** Exclusive bounds: flags in OpenAPI 3.0, numbers later. */
function copyBounds(schema: Members, result: Record<string, unknown>): void {
  for (const [bound, exclusive] of [
    ["minimum", "exclusiveMinimum"],
    ["maximum", "exclusiveMaximum"],
  ] as const) {
    const value = schema[exclusive];
    if (value === true && result[bound] !== undefined) {
      result[exclusive] = result[bound];
      delete result[bound];
    } else if (typeof value === "number" && Number.isFinite(value)) {
      result[exclusive] = value;
    }
  }
}

function copyRequired(schema: Members, result: Record<string, unknown>, hidden: ReadonlySet<unknown>): void {
  const required = listOf(schema["required"]).filter((name) => typeof name === "string" && !hidden.has(name));
  if (required.length > 0) {
    result["required"] = distinct(required);
  }
  const dependent = schema["dependentRequired"];
  if (isRecord(dependent)) {
    result["dependentRequired"] = Object.fromEntries(
      Object.entries(dependent).map(([name, names]) => [
        name,
        distinct(listOf(names).filter((one) => typeof one === "string" && !hidden.has(one))),
      ]),
    );
  }
}

/** The properties of a schema and of its parts that values of this direction do not have. */
function hiddenNames(schema: Members, conversion: Conversion): ReadonlySet<unknown> {
  const properties = partsOf(schema, conversion.pointers).flatMap((part) =>
    Object.entries(membersOf(part["properties"])),
  );
  return new Set(
    properties.filter(([, value]) => isOfOtherDirection(value, conversion)).map(([name]) => name),
  );
}

/** The same values, and `null`. */
function orNull(schema: Schema): Schema {
  if (typeof schema === "boolean") {
    return schema;
  }
  const { type, enum: values, const: only, ...rest } = schema;
  const isPlain = !["$ref", "allOf", "anyOf", "oneOf", "not", "if"].some((name) => name in rest);
  if (isPlain) {
    const types = type === undefined ? undefined : [type].flat().filter((one) => one !== "null");
    return {
      ...rest,
      ...(types === undefined ? {} : { type: [...types, "null"] }),
      ...(Array.isArray(values) ? { enum: distinct([...(values as unknown[]), null]) } : {}),
      ...(only === undefined ? {} : { enum: distinct([only, null]) }),
    };
  }
  const { title, description, default: initial, deprecated, examples, ...inner } = schema;
  return {
    ...Object.fromEntries(
      Object.entries({ title, description, default: initial, deprecated, examples }).filter(
        ([, value]) => value !== undefined,
      ),
    ),
    anyOf: [inner, { type: "null" }],
  };
}

/** The values without repetitions, by their JSON. */
function distinct(values: readonly unknown[]): unknown[] {
  return [...new Map(values.map((value) => [JSON.stringify(value), value])).values()];
}
