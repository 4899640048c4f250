import { isRecord } from "../record.ts";

/** A JSON Schema. */
export type Schema = Readonly<Record<string, unknown>>;

/** Deepest schema that is converted; what is deeper says nothing (`{}`). */
const maxDepth = 32;

/**
 * Puts what `#/…` references name in their place, for vendors that know no `$ref`. A reference to what is around itself, a foreign one, and everything deeper than
 * 32 levels become `{}`. `$defs` are left out.
 */
export function inlineRefs(root: Schema): Schema {
  const walk = (value: unknown, depth: number, above: readonly string[]): unknown => {
    if (Array.isArray(value)) {
      return value.map((item) => walk(item, depth + 1, above));
    }
    if (!isRecord(value)) {
      return value;
    }
    if (depth > maxDepth) {
      return {};
    }
    const { $ref, $defs: _, definitions: __, ...rest } = value;
    if (typeof $ref === "string") {
      const target = above.includes($ref) ? undefined : pointTo(root, $ref);
      const inlined = walk(target ?? {}, depth + 1, [...above, $ref]);
      return { ...(isRecord(inlined) ? inlined : {}), ...(walk(rest, depth, above) as Schema) };
    }
    return Object.fromEntries(Object.entries(rest).map(([key, item]) => [key, walk(item, depth + 1, above)]));
  };
  return walk(root, 0, []) as Schema;
}

function pointTo(root: Schema, ref: string): unknown {
  if (ref !== "#" && !ref.startsWith("#/")) {
    return undefined;
  }
  return ref
    .split("/")
    .slice(1)
    .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"))
    .reduce<unknown>(
      (value, part) => (isRecord(value) && Object.hasOwn(value, part) ? value[part] : undefined),
      root,
    );
}

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

/**
 * A schema as OpenAI's strict mode wants it: every object closed, every property required (what was optional may be `null`), no `default`. `undefined` if that
 * cannot be said in strict mode: open objects, other keywords.
 */
export function strictSchema(schema: Schema): Schema | undefined {
  const inlined = inlineRefs(schema);
  return inlined["type"] === "object" ? strict(inlined) : undefined;
}

/**
 * The arguments that a model gave by a {@link strictSchema}, as the server's own schema wants them: a `null` in the place of an optional property, which strict mode
 * cannot leave out, is left out.
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

function strict(schema: Schema): Schema | undefined {
  if (
    Object.keys(schema).some((keyword) => !strictKeywords.has(keyword)) ||
    Object.keys(schema).length === 0
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
    // An object whose author says nothing is open; the model is offered what is known of it.
    const wanted = Array.isArray(required) ? required : [];
    const entries: [string, Schema][] = [];
    for (const [name, member] of Object.entries(members)) {
      const converted = isRecord(member) ? strict(member) : undefined;
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
    const converted = isRecord(items) ? strict(items) : undefined;
    if (converted === undefined) {
      return undefined;
    }
    result["items"] = converted;
  }
  if (anyOf !== undefined) {
    const branches = Array.isArray(anyOf)
      ? anyOf.map((branch) => (isRecord(branch) ? strict(branch) : undefined))
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

const geminiKeywords = [
  "title",
  "description",
  "format",
  "enum",
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

/** A schema in the subset that Gemini's `Schema` knows; what it cannot say is left out, so that it may allow more than the server does. */
export function geminiSchema(schema: Schema): Schema {
  return gemini(inlineRefs(schema));
}

function gemini(schema: Schema): Schema {
  const result: Record<string, unknown> = {};
  for (const keyword of geminiKeywords) {
    if (schema[keyword] !== undefined) {
      result[keyword] = schema[keyword];
    }
  }
  if (schema["const"] !== undefined) {
    result["enum"] = [schema["const"]];
  }
  // Its enums are of texts alone.
  if (Array.isArray(result["enum"])) {
    result["enum"] = result["enum"].map(String);
    result["type"] = "STRING";
  }
  const types = [schema["type"]].flat().filter((type) => typeof type === "string");
  const concrete = types.filter((type) => type !== "null");
  if (types.length > concrete.length) {
    result["nullable"] = true;
  }
  if (concrete.length === 1 && result["type"] === undefined) {
    result["type"] = concrete[0]?.toUpperCase();
  } else if (concrete.length > 1) {
    result["anyOf"] = concrete.map((type) =>
      gemini({ ...schema, type, anyOf: undefined, description: undefined }),
    );
  }
  const branches = [schema["anyOf"], schema["oneOf"]]
    .flatMap((list) => (Array.isArray(list) ? list : []))
    .filter(isRecord);
  if (branches.length > 0) {
    result["anyOf"] = branches.map(gemini);
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
  } else if (result["type"] === "ARRAY") {
    result["items"] = {};
  }
  return result;
}

/** A schema whose root says `type: object`, as vendors demand. A root of `oneOf`, `anyOf` or `allOf` is kept beside it. */
export function objectSchema(schema: Schema): Schema & { readonly type: "object" } {
  return { ...schema, type: "object", properties: schema["properties"] ?? {} };
}
