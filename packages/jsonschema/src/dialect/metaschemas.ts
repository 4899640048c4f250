import type { JSONSchema } from "../schema.ts";

const NEW = "https://json-schema.org/draft/2020-12/";
const OLD = "http://json-schema.org/draft-07/schema";

const any = { $dynamicRef: "#meta" };
const list = { $ref: "#/$defs/schemaArray" };
const map = { type: "object", additionalProperties: any, default: {} };
const text = { type: "string" };
const flag = { type: "boolean", default: false };
const anchor = { $ref: "#/$defs/anchorString" };
const reference = { $ref: "#/$defs/uriReferenceString" };
const count = { $ref: "#/$defs/nonNegativeInteger" };
const count0 = { $ref: "#/$defs/nonNegativeIntegerDefault0" };
const strings = { $ref: "#/$defs/stringArray" };
const number = { type: "number" };

/** One vocabulary's metaschema of draft 2020-12. */
function vocabulary(name: string, properties: object, $defs?: object): readonly [string, JSONSchema] {
  const uri = `${NEW}meta/${name}`;
  const schema = {
    $schema: `${NEW}schema`,
    $id: uri,
    $vocabulary: { [`${NEW}vocab/${name}`]: true },
    $dynamicAnchor: "meta",
    type: ["object", "boolean"],
    properties,
    ...($defs === undefined ? {} : { $defs }),
  };
  return [uri, schema as JSONSchema];
}

const schemaArray = { type: "array", minItems: 1, items: any };
const NAMES = [
  "core",
  "applicator",
  "unevaluated",
  "validation",
  "meta-data",
  "format-annotation",
  "content",
];
const simpleTypes = { enum: ["array", "boolean", "integer", "null", "number", "object", "string"] };

function vocabularies(): (readonly [string, JSONSchema])[] {
  return [
    vocabulary(
      "core",
      {
        $id: { ...reference, pattern: "^[^#]*#?$" },
        $schema: { $ref: "#/$defs/uriString" },
        $ref: reference,
        $anchor: anchor,
        $dynamicRef: reference,
        $dynamicAnchor: anchor,
        $vocabulary: {
          type: "object",
          propertyNames: { $ref: "#/$defs/uriString" },
          additionalProperties: { type: "boolean" },
        },
        $comment: text,
        $defs: { type: "object", additionalProperties: any },
      },
      {
        anchorString: { type: "string", pattern: "^[A-Za-z_][-A-Za-z0-9._]*$" },
        uriString: { type: "string", format: "uri" },
        uriReferenceString: { type: "string", format: "uri-reference" },
      },
    ),
    vocabulary(
      "applicator",
      {
        prefixItems: list,
        items: any,
        contains: any,
        additionalProperties: any,
        properties: map,
        patternProperties: { ...map, propertyNames: { format: "regex" } },
        dependentSchemas: map,
        propertyNames: any,
        if: any,
        then: any,
        else: any,
        allOf: list,
        anyOf: list,
        oneOf: list,
        not: any,
      },
      { schemaArray },
    ),
    vocabulary("unevaluated", { unevaluatedItems: any, unevaluatedProperties: any }),
    vocabulary(
      "validation",
      {
        type: {
          anyOf: [
            { $ref: "#/$defs/simpleTypes" },
            { type: "array", items: { $ref: "#/$defs/simpleTypes" }, minItems: 1, uniqueItems: true },
          ],
        },
        const: true,
        enum: { type: "array", items: true },
        multipleOf: { type: "number", exclusiveMinimum: 0 },
        maximum: number,
        exclusiveMaximum: number,
        minimum: number,
        exclusiveMinimum: number,
        maxLength: count,
        minLength: count0,
        pattern: { type: "string", format: "regex" },
        maxItems: count,
        minItems: count0,
        uniqueItems: flag,
        maxContains: count,
        minContains: { ...count, default: 1 },
        maxProperties: count,
        minProperties: count0,
        required: strings,
        dependentRequired: { type: "object", additionalProperties: strings },
      },
      {
        nonNegativeInteger: { type: "integer", minimum: 0 },
        nonNegativeIntegerDefault0: { ...count, default: 0 },
        simpleTypes,
        stringArray: { type: "array", items: text, uniqueItems: true, default: [] },
      },
    ),
    vocabulary("meta-data", {
      title: text,
      description: text,
      default: true,
      deprecated: flag,
      readOnly: flag,
      writeOnly: flag,
      examples: { type: "array", items: true },
    }),
    vocabulary("format-annotation", { format: text }),
    vocabulary("format-assertion", { format: text }),
    vocabulary("content", { contentEncoding: text, contentMediaType: text, contentSchema: any }),
  ];
}

function draft2020(): JSONSchema {
  return {
    $schema: `${NEW}schema`,
    $id: `${NEW}schema`,
    $vocabulary: Object.fromEntries(NAMES.map((name) => [`${NEW}vocab/${name}`, true])),
    $dynamicAnchor: "meta",
    allOf: NAMES.map((name) => ({ $ref: `meta/${name}` })),
    type: ["object", "boolean"],
    properties: {
      definitions: { ...map, deprecated: true },
      dependencies: {
        type: "object",
        additionalProperties: { anyOf: [any, { $ref: "meta/validation#/$defs/stringArray" }] },
        deprecated: true,
        default: {},
      },
      $recursiveAnchor: { $ref: "meta/core#/$defs/anchorString", deprecated: true },
      $recursiveRef: { $ref: "meta/core#/$defs/uriReferenceString", deprecated: true },
    },
  } as JSONSchema;
}

function draft07(): JSONSchema {
  const self = { $ref: "#" };
  const schemaList = { $ref: "#/definitions/schemaArray" };
  const schemaMap = { type: "object", additionalProperties: self, default: {} };
  const count = { $ref: "#/definitions/nonNegativeInteger" };
  const count0 = { $ref: "#/definitions/nonNegativeIntegerDefault0" };
  const names = { $ref: "#/definitions/stringArray" };
  return {
    $schema: `${OLD}#`,
    $id: `${OLD}#`,
    definitions: {
      schemaArray: { type: "array", minItems: 1, items: self },
      nonNegativeInteger: { type: "integer", minimum: 0 },
      nonNegativeIntegerDefault0: { allOf: [count, { default: 0 }] },
      simpleTypes,
      stringArray: { type: "array", items: text, uniqueItems: true, default: [] },
    },
    type: ["object", "boolean"],
    properties: {
      $id: { type: "string", format: "uri-reference" },
      $schema: { type: "string", format: "uri" },
      $ref: { type: "string", format: "uri-reference" },
      $comment: text,
      title: text,
      description: text,
      default: true,
      readOnly: flag,
      writeOnly: flag,
      examples: { type: "array", items: true },
      multipleOf: { type: "number", exclusiveMinimum: 0 },
      maximum: number,
      exclusiveMaximum: number,
      minimum: number,
      exclusiveMinimum: number,
      maxLength: count,
      minLength: count0,
      pattern: { type: "string", format: "regex" },
      additionalItems: self,
      items: { anyOf: [self, schemaList], default: true },
      maxItems: count,
      minItems: count0,
      uniqueItems: flag,
      contains: self,
      maxProperties: count,
      minProperties: count0,
      required: names,
      additionalProperties: self,
      definitions: schemaMap,
      properties: schemaMap,
      patternProperties: { ...schemaMap, propertyNames: { format: "regex" } },
      dependencies: { type: "object", additionalProperties: { anyOf: [self, names] } },
      propertyNames: self,
      const: true,
      enum: { type: "array", items: true },
      type: {
        anyOf: [
          { $ref: "#/definitions/simpleTypes" },
          { type: "array", items: { $ref: "#/definitions/simpleTypes" }, minItems: 1, uniqueItems: true },
        ],
      },
      format: text,
      contentMediaType: text,
      contentEncoding: text,
      if: self,
      then: self,
      else: self,
      allOf: schemaList,
      anyOf: schemaList,
      oneOf: schemaList,
      not: self,
    },
    default: true,
  } as JSONSchema;
}

let documents: ReadonlyMap<string, JSONSchema> | undefined;

/** The metaschemas of draft 2020-12 and draft-07 by URI; made when one is first asked for. */
export function metaschema(uri: string): JSONSchema | undefined {
  if (!uri.includes("json-schema.org/")) return undefined;
  documents ??= new Map([[`${NEW}schema`, draft2020()], [OLD, draft07()], ...vocabularies()]);
  return documents.get(uri);
}
