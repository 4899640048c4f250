// Shapes of input schemas as servers publish them: by pydantic (FastMCP, the Python SDK), zod 3 and
// 4, schemars (Rust), invopop (Go), victools (Java), System.Text.Json (C#), bridges from OpenAPI
// and OData, PHP, and by hand. Each line is a shape that was seen, in our own words.

import { oddities } from "./oddities.ts";

type Schema = Readonly<Record<string, unknown>>;

/** One shape, under a name by which a failure is found. */
export interface Shape {
  readonly name: string;
  readonly schema: Schema;
}

const text = { type: "string" };
const Page = {
  title: "Page",
  type: "object",
  properties: { limit: { type: "integer" }, after: { anyOf: [text, { type: "null" }], default: null } },
  required: ["limit"],
};
const Color = { title: "Color", type: "string", enum: ["red", "green", "blue"] };
const Node = {
  type: "object",
  properties: { name: text, children: { type: "array", items: { $ref: "#/$defs/Node" } } },
  required: ["name"],
};

/** Annotations of Python, and what pydantic 2 makes of them. */
const python: Readonly<Record<string, Schema>> = {
  str: text,
  int: { type: "integer" },
  float: { type: "number" },
  bool: { type: "boolean" },
  None: { type: "null" },
  Any: {},
  bytes: { type: "string", format: "binary" },
  datetime: { type: "string", format: "date-time" },
  date: { type: "string", format: "date" },
  timedelta: { type: "string", format: "duration" },
  UUID: { type: "string", format: "uuid" },
  AnyUrl: { type: "string", format: "uri", minLength: 1 },
  HttpUrl: { type: "string", format: "uri", minLength: 1, maxLength: 2083 },
  EmailStr: { type: "string", format: "email" },
  Path: { type: "string", format: "path" },
  Decimal: { anyOf: [{ type: "number" }, { type: "string", pattern: "^(?!^[-+.]*$)[+-]?0*\\d*\\.?\\d*$" }] },
  Literal: { type: "string", enum: ["asc", "desc"] },
  "Literal of one": { type: "string", const: "asc" },
  "Literal of numbers": { type: "integer", enum: [1, 2, 3] },
  "Literal of kinds": { enum: ["auto", 0, 1, true, null] },
  Enum: { $ref: "#/$defs/Color" },
  Model: { $ref: "#/$defs/Page" },
  "recursive model": { $ref: "#/$defs/Node" },
  list: { type: "array", items: {} },
  dict: { type: "object", additionalProperties: true },
  tuple: { type: "array", minItems: 2, maxItems: 2, prefixItems: [{ type: "number" }, { type: "number" }] },
  set: { type: "array", uniqueItems: true, items: text },
  "str | int": { anyOf: [text, { type: "integer" }] },
  "conint(gt=0)": { type: "integer", exclusiveMinimum: 0, maximum: 100 },
  "constr(pattern)": { type: "string", pattern: "^[a-z]+(?:-[a-z]+)*$", minLength: 1, maxLength: 63 },
  Json: { type: "string", contentMediaType: "application/json", contentSchema: { type: "object" } },
  Secret: { type: "string", format: "password", writeOnly: true },
  "discriminated union": {
    discriminator: { propertyName: "kind", mapping: { page: "#/$defs/Page", node: "#/$defs/Node" } },
    oneOf: [{ $ref: "#/$defs/Page" }, { $ref: "#/$defs/Node" }],
  },
};

/** What surrounds them. */
const pythonAround: Readonly<Record<string, (schema: Schema) => Schema>> = {
  plain: (schema) => ({ ...schema, title: "V" }),
  described: (schema) => ({ ...schema, title: "V", description: "The value." }),
  optional: (schema) => ({ anyOf: [schema, { type: "null" }], default: null, title: "V" }),
  "list of": (schema) => ({ type: "array", items: schema, title: "V" }),
  "dict of": (schema) => ({ type: "object", additionalProperties: schema, title: "V" }),
  "pydantic 1": (schema) => ({ title: "V", description: "The value.", allOf: [schema] }),
};

const pythonShapes: Shape[] = Object.entries(python).flatMap(([annotation, schema]) =>
  Object.entries(pythonAround).map(([around, wrap]) => ({
    name: `python: ${around} ${annotation}`,
    schema: {
      title: "findArguments",
      type: "object",
      properties: { v: wrap(schema), q: text },
      ...(around === "optional" ? {} : { required: ["v"] }),
      $defs: { Page, Color, Node },
    },
  })),
);

/** What zod writes, 3 by `zod-to-json-schema` (draft 7) and 4 by itself. */
const zod: Readonly<Record<string, Schema>> = {
  "z.string().email()": {
    type: "string",
    format: "email",
    pattern:
      "^(?!\\.)(?!.*\\.\\.)([A-Za-z0-9_'+\\-\\.]*)[A-Za-z0-9_+-]@([A-Za-z0-9][A-Za-z0-9\\-]*\\.)+[A-Za-z]{2,}$",
  },
  "z.string().url()": { type: "string", format: "uri" },
  "z.string().uuid()": {
    type: "string",
    format: "uuid",
    pattern: "^([0-9a-fA-F]{8}-[0-9a-fA-F]{4}-4[0-9a-fA-F]{3})$",
  },
  "z.string().cuid2()": { type: "string", format: "cuid2", pattern: "^[0-9a-z]+$" },
  "z.string().base64()": { type: "string", format: "base64", contentEncoding: "base64" },
  "z.string().emoji()": { type: "string", pattern: "^(\\p{Extended_Pictographic}|\\p{Emoji_Component})+$" },
  "z.string().trim().min(1)": { type: "string", minLength: 1 },
  "z.number().int().positive()": { type: "integer", exclusiveMinimum: 0, maximum: 9007199254740991 },
  "zod 3: z.number().positive() to OpenAPI": { type: "number", minimum: 0, exclusiveMinimum: true },
  "z.number().multipleOf(0.01)": { type: "number", multipleOf: 0.01 },
  "z.literal": { type: "string", const: "a" },
  "z.literal of zod 3 to OpenAPI": { type: "string", enum: ["a"] },
  "z.literal(null)": { type: "null" },
  "z.enum": { type: "string", enum: ["a", "b"] },
  "z.nativeEnum": { type: ["string", "number"], enum: ["a", 1] },
  "z.any()": {},
  "z.unknown() of zod 3": { not: {} },
  "z.never()": { not: {} },
  "z.tuple of zod 3": { type: "array", minItems: 2, maxItems: 2, items: [text, { type: "number" }] },
  "z.tuple of zod 4": { type: "array", prefixItems: [text, { type: "number" }] },
  "z.tuple().rest()": { type: "array", items: [text], additionalItems: { type: "number" } },
  "z.record": { type: "object", propertyNames: { type: "string" }, additionalProperties: { type: "number" } },
  "z.record of an enum": {
    type: "object",
    propertyNames: { type: "string", enum: ["a", "b"] },
    additionalProperties: text,
    required: ["a", "b"],
  },
  "z.map": {
    type: "array",
    maxItems: 125,
    items: { type: "array", items: [text, text], minItems: 2, maxItems: 2 },
  },
  "z.union": { anyOf: [text, { type: "number" }] },
  "z.union of primitives in zod 3": { type: ["string", "number"] },
  "z.discriminatedUnion": {
    oneOf: [
      {
        type: "object",
        properties: { t: { type: "string", const: "a" }, x: text },
        required: ["t", "x"],
        additionalProperties: false,
      },
      {
        type: "object",
        properties: { t: { type: "string", const: "b" }, y: { type: "number" } },
        required: ["t"],
        additionalProperties: false,
      },
    ],
  },
  "z.intersection": {
    allOf: [
      { type: "object", properties: { a: text }, required: ["a"] },
      { type: "object", properties: { b: text }, required: ["b"] },
    ],
  },
  "z.object().strict()": {
    type: "object",
    properties: { a: text },
    additionalProperties: false,
    required: ["a"],
  },
  "z.object().passthrough()": { type: "object", properties: { a: text }, additionalProperties: true },
  "z.object() of zod 4": { type: "object", properties: { a: text }, additionalProperties: {} },
  "z.lazy": { $ref: "#/properties/v" },
  "z.lazy of zod 4": { $ref: "#/$defs/__schema0" },
  "z.date() as a string": { type: "string", format: "date-time" },
  "z.bigint()": { type: "integer", format: "int64" },
};

const zodAround: Readonly<Record<string, (schema: Schema) => Schema>> = {
  required: (schema) => schema,
  nullable: (schema) => ({ anyOf: [schema, { type: "null" }] }),
  array: (schema) => ({ type: "array", items: schema, minItems: 1 }),
  "described, with a default": (schema) => ({ ...schema, description: "The value.", default: null }),
};

const zodShapes: Shape[] = Object.entries(zod).flatMap(([type, schema]) =>
  Object.entries(zodAround).map(([around, wrap]) => ({
    name: `zod: ${around} ${type}`,
    schema: {
      $schema: "http://json-schema.org/draft-07/schema#",
      type: "object",
      properties: { v: wrap(schema) },
      additionalProperties: false,
      $defs: { __schema0: { type: "object", properties: { next: { $ref: "#/$defs/__schema0" } } } },
    },
  })),
);

/** Names of properties of OData, REST filters, CSV heads, HTML forms, other alphabets. */
const keys = [
  ...[
    "$top",
    "$filter",
    "@odata.type",
    "@microsoft.graph.conflictBehavior",
    "filter[status]",
    "filter[]",
    "sort[0][by]",
  ],
  ...[
    "Start Date",
    "Preis (€)",
    "größe",
    "日期",
    "имя",
    "a/b",
    "a~b",
    "a.b",
    "a-b",
    "x:y",
    "user@domain",
    "1st",
    "",
    " ",
    "_",
  ],
  ...[
    "setting__".repeat(8),
    "x".repeat(65),
    "x".repeat(200),
    "issue̥_resolved",
    "emoji 🎉",
    "constructor",
    "__proto__",
    "toString",
  ],
];
const keyShapes: Shape[] = [
  ...keys.map((key) => ({
    name: `key: ${JSON.stringify(key)}`,
    schema: {
      type: "object",
      properties: Object.fromEntries([[key, { type: "string", description: "By this." }]]),
      required: [key],
    },
  })),
  {
    name: "key: many that are mended alike",
    schema: {
      type: "object",
      properties: Object.fromEntries(["$a", "@a", "_a", "#a", "a"].map((key) => [key, text])),
      required: ["$a"],
    },
  },
  {
    name: "key: below lists, unions and references",
    schema: {
      type: "object",
      properties: {
        list: { type: "array", items: { $ref: "#/$defs/Row" } },
        one: { anyOf: [{ $ref: "#/$defs/Row" }, { type: "null" }] },
      },
      $defs: {
        Row: {
          type: "object",
          properties: { "row id": { type: "integer" }, "@type": text },
          required: ["row id"],
          dependentRequired: { "@type": ["row id"] },
        },
      },
    },
  },
];

const Reference = {
  type: "object",
  properties: { reference: text, display: text, identifier: { $ref: "#/definitions/Identifier" } },
};
const Extension = {
  type: "object",
  properties: {
    url: text,
    valueString: text,
    extension: { type: "array", items: { $ref: "#/definitions/Extension" } },
  },
  required: ["url"],
};
const fhir = {
  definitions: {
    Reference,
    Extension,
    Identifier: {
      type: "object",
      properties: {
        system: text,
        value: text,
        assigner: { $ref: "#/definitions/Reference" },
        extension: { type: "array", items: { $ref: "#/definitions/Extension" } },
      },
    },
    Period: {
      type: "object",
      properties: { start: { type: "string", pattern: "^([0-9]{4}(-[0-9]{2}(-[0-9]{2})?)?)$" }, end: text },
    },
    HumanName: {
      type: "object",
      properties: {
        family: text,
        given: { type: "array", items: text },
        period: { $ref: "#/definitions/Period" },
        _family: { $ref: "#/definitions/Extension" },
      },
    },
  },
};
const fhirShapes: Shape[] = Object.keys(fhir.definitions).map((name) => ({
  name: `FHIR-like: ${name}`,
  schema: {
    type: "object",
    properties: {
      resource: { $ref: `#/definitions/${name}` },
      list: { type: "array", items: { $ref: `#/definitions/${name}` } },
    },
    ...fhir,
  },
}));

/** Definitions that name each other many times, without a cycle. */
function diamonds(levels: number, width: number): Schema {
  const below = (level: number): Schema => (level + 1 < levels ? { $ref: `#/$defs/D${level + 1}` } : text);
  const $defs = Object.fromEntries(
    Array.from({ length: levels }, (_, level) => [
      `D${level}`,
      {
        type: "object",
        properties: Object.fromEntries(
          Array.from({ length: width }, (__, index) => [`p${index}`, below(level)]),
        ),
      },
    ]),
  );
  return { type: "object", properties: { root: { $ref: "#/$defs/D0" } }, $defs };
}
const sizes: Shape[] = [
  ...[4, 7, 10, 30].map((levels) => ({
    name: `size: diamonds of ${levels} levels`,
    schema: diamonds(levels, 8),
  })),
  {
    name: "size: a union of diamonds at the root",
    schema: { ...diamonds(8, 6), anyOf: [{ $ref: "#/$defs/D0" }, { $ref: "#/$defs/D1" }] },
  },
  {
    name: "size: 3,000 properties",
    schema: {
      type: "object",
      properties: Object.fromEntries(Array.from({ length: 3000 }, (_, index) => [`p${index}`, text])),
    },
  },
  {
    name: "size: 2,000 values",
    schema: {
      type: "object",
      properties: {
        v: { type: "string", enum: Array.from({ length: 2000 }, (_, index) => `value ${index}`) },
      },
    },
  },
  {
    name: "size: 500 branches",
    schema: {
      type: "object",
      properties: {
        v: {
          anyOf: Array.from({ length: 500 }, (_, index) => ({
            type: "object",
            properties: { kind: { const: `k${index}` } },
            required: ["kind"],
          })),
        },
      },
    },
  },
  {
    name: "size: 200 levels",
    schema: Array.from({ length: 200 }).reduce<Schema>(
      (inner) => ({ type: "object", properties: { a: inner } }),
      text,
    ),
  },
  {
    name: "size: a description of 5,000 characters at a union",
    schema: {
      type: "object",
      properties: { v: { type: ["string", "number", "boolean"], description: "z".repeat(5000) } },
    },
  },
];

/** All shapes: see the groups above, and {@link oddities}. */
export const corpus: readonly Shape[] = [
  ...pythonShapes,
  ...zodShapes,
  ...keyShapes,
  ...fhirShapes,
  ...sizes,
  ...oddities,
];
