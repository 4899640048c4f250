import { isRecord } from "@tenon/jsonrpc2/transport";

import { inlineRefs, type Schema } from "./inline-refs.ts";

const strictKeywords = new Set([
  "type",
  "description",
  "title",
  "enum",
  "const",
  "anyOf",
  "properties",
  "required",
  "items",
  "additionalProperties",
  "default",
  "$schema",
  "format",
  "pattern",
  "minimum",
  "maximum",
  "exclusiveMinimum",
  "exclusiveMaximum",
  "multipleOf",
  "minItems",
  "maxItems",
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

/** Maximum nesting depth of objects and arrays in strict mode. */
const maxStrictDepth = 10;

/**
 * A schema for OpenAI's strict mode: every object is closed, every property is required (optional
 * properties may be `null`), and `default` is omitted. Returns `undefined` if strict mode cannot
 * express the schema: open objects, other keywords and formats, more than ten levels, a union at
 * the root.
 */
export function strictSchema(schema: Schema): Schema | undefined {
  const inlined = inlineRefs(schema);
  return inlined["type"] === "object" && inlined["anyOf"] === undefined ? strict(inlined, 0) : undefined;
}

/**
 * The arguments that a model gave by a {@link strictSchema}, as the server's own schema wants them:
 * a `null` in the place of an optional property, which strict mode cannot leave out, is left out.
 */
export function fromStrictArguments(
  schema: Schema,
  args: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  return withoutNulls(inlineRefs(schema), args) as Record<string, unknown>;
}

function withoutNulls(schema: unknown, value: unknown): unknown {
  if (!isRecord(schema)) {
    return value;
  }
  if (Array.isArray(value)) {
    return value.map((item) => withoutNulls(schema["items"], item));
  }
  const { properties } = schema;
  if (!isRecord(value) || !isRecord(properties)) {
    return value;
  }
  const required = Array.isArray(schema["required"]) ? schema["required"] : [];
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name, member]) => member !== null || required.includes(name))
      .map(([name, member]) => [name, withoutNulls(properties[name], member)]),
  );
}

function strict(schema: Schema, depth: number): Schema | undefined {
  const { format } = schema;
  if (
    depth > maxStrictDepth ||
    Object.keys(schema).some((keyword) => !strictKeywords.has(keyword)) ||
    Object.keys(schema).length === 0 ||
    (format !== undefined && !strictFormats.has(format))
  ) {
    return undefined;
  }
  const {
    default: _,
    $schema: __,
    properties,
    required,
    items,
    anyOf,
    additionalProperties,
    ...rest
  } = schema;
  const result: Record<string, unknown> = { ...rest };
  if (schema["type"] === "object") {
    if (additionalProperties !== undefined && additionalProperties !== false) {
      return undefined;
    }
    const members = isRecord(properties) ? properties : {};
    // An object schema without `additionalProperties` is open; the model gets the known properties.
    const wanted = Array.isArray(required) ? required : [];
    const entries: [string, Schema][] = [];
    for (const [name, member] of Object.entries(members)) {
      const converted = isRecord(member) ? strict(member, depth + 1) : undefined;
      if (converted === undefined) {
        return undefined;
      }
      entries.push([name, wanted.includes(name) ? converted : nullable(converted)]);
    }
    Object.assign(result, {
      properties: Object.fromEntries(entries),
      required: Object.keys(members),
      additionalProperties: false,
    });
  }
  if (items !== undefined) {
    const converted = isRecord(items) ? strict(items, depth + 1) : undefined;
    if (converted === undefined) {
      return undefined;
    }
    result["items"] = converted;
  }
  if (anyOf !== undefined) {
    const branches = Array.isArray(anyOf)
      ? anyOf.map((branch) => (isRecord(branch) ? strict(branch, depth) : undefined))
      : [];
    if (branches.length === 0 || branches.includes(undefined)) {
      return undefined;
    }
    result["anyOf"] = branches;
  }
  return result;
}

function nullable(schema: Schema): Schema {
  return { anyOf: [schema, { type: "null" }] };
}
