import type { JSONSchema } from "../schema.ts";

const uri2020 = "https://json-schema.org/draft/2020-12/";
const uri7 = "http://json-schema.org/draft-07/schema";

const text = { type: "string" };
const flag = { type: "boolean", default: false };
const number = { type: "number" };
const regex = { type: "string", format: "regex" };
const anything = { type: "array", items: true };
const schemaTypes = ["object", "boolean"];

/**
 * The parts that metaschemas share, given how one refers to a whole schema and to its definitions.
 */
function parts(schema: object, definitions: string) {
  const to = (name: string): object => ({ $ref: `#/${definitions}/${name}` });
  const map = { type: "object", additionalProperties: schema, default: {} };
  const list = to("schemaArray");
  const count = to("nonNegativeInteger");
  const count0 = to("nonNegativeIntegerDefault0");
  const strings = to("stringArray");
  const type = to("simpleTypes");
  return {
    map,
    list,
    count,
    strings,
    schemaArray: { type: "array", minItems: 1, items: schema },
    applicator: {
      contains: schema,
      additionalProperties: schema,
      properties: map,
      patternProperties: { ...map, propertyNames: { format: "regex" } },
      propertyNames: schema,
      if: schema,
      then: schema,
      else: schema,
      allOf: list,
      anyOf: list,
      oneOf: list,
      not: schema,
    },
    validation: {
      type: { anyOf: [type, { type: "array", items: type, minItems: 1, uniqueItems: true }] },
      const: true,
      enum: anything,
      multipleOf: { type: "number", exclusiveMinimum: 0 },
      maximum: number,
      exclusiveMaximum: number,
      minimum: number,
      exclusiveMinimum: number,
      maxLength: count,
      minLength: count0,
      pattern: regex,
      maxItems: count,
      minItems: count0,
      uniqueItems: flag,
      maxProperties: count,
      minProperties: count0,
      required: strings,
    },
    values: {
      nonNegativeInteger: { type: "integer", minimum: 0 },
      simpleTypes: { enum: ["array", "boolean", "integer", "null", "number", "object", "string"] },
      stringArray: { type: "array", items: text, uniqueItems: true, default: [] },
    },
    metaData: {
      title: text,
      description: text,
      default: true,
      readOnly: flag,
      writeOnly: flag,
      examples: anything,
    },
    content: { contentEncoding: text, contentMediaType: text },
  };
}

function draft2020(): (readonly [string, unknown])[] {
  const schema = { $dynamicRef: "#meta" };
  const anchor = { $ref: "#/$defs/anchorString" };
  const reference = { $ref: "#/$defs/uriReferenceString" };
  const uri = { $ref: "#/$defs/uriString" };
  const { map, list, count, strings, values, ...shared } = parts(schema, "$defs");
  const vocabularies: Record<string, readonly [properties: object, definitions?: object]> = {
    core: [
      {
        $id: { ...reference, pattern: "^[^#]*#?$" },
        $schema: uri,
        $ref: reference,
        $anchor: anchor,
        $dynamicRef: reference,
        $dynamicAnchor: anchor,
        $vocabulary: { type: "object", propertyNames: uri, additionalProperties: { type: "boolean" } },
        $comment: text,
        $defs: { type: "object", additionalProperties: schema },
      },
      {
        anchorString: { type: "string", pattern: "^[A-Za-z_][-A-Za-z0-9._]*$" },
        uriString: { type: "string", format: "uri" },
        uriReferenceString: { type: "string", format: "uri-reference" },
      },
    ],
    applicator: [
      { prefixItems: list, items: schema, dependentSchemas: map, ...shared.applicator },
      { schemaArray: shared.schemaArray },
    ],
    unevaluated: [{ unevaluatedItems: schema, unevaluatedProperties: schema }],
    validation: [
      {
        ...shared.validation,
        maxContains: count,
        minContains: { ...count, default: 1 },
        dependentRequired: { type: "object", additionalProperties: strings },
      },
      { ...values, nonNegativeIntegerDefault0: { ...count, default: 0 } },
    ],
    "meta-data": [{ ...shared.metaData, deprecated: flag }],
    "format-annotation": [{ format: text }],
    content: [{ ...shared.content, contentSchema: schema }],
    "format-assertion": [{ format: text }],
  };
  const document = (path: string, names: readonly string[], rest: object): readonly [string, unknown] => [
    uri2020 + path,
    {
      $schema: `${uri2020}schema`,
      $id: uri2020 + path,
      $vocabulary: Object.fromEntries(names.map((name) => [`${uri2020}vocab/${name}`, true])),
      $dynamicAnchor: "meta",
      type: schemaTypes,
      ...rest,
    },
  ];
  const names = Object.keys(vocabularies).slice(0, -1);
  return [
    document("schema", names, {
      allOf: names.map((name) => ({ $ref: `meta/${name}` })),
      properties: {
        definitions: { ...map, deprecated: true },
        dependencies: {
          type: "object",
          additionalProperties: { anyOf: [schema, { $ref: "meta/validation#/$defs/stringArray" }] },
          deprecated: true,
          default: {},
        },
        $recursiveAnchor: { $ref: "meta/core#/$defs/anchorString", deprecated: true },
        $recursiveRef: { $ref: "meta/core#/$defs/uriReferenceString", deprecated: true },
      },
    }),
    ...Object.entries(vocabularies).map(([name, [properties, $defs]]) =>
      document(`meta/${name}`, [name], { properties, ...($defs === undefined ? {} : { $defs }) }),
    ),
  ];
}

function draft07(): unknown {
  const schema = { $ref: "#" };
  const { map, list, count, strings, values, schemaArray, ...shared } = parts(schema, "definitions");
  return {
    $schema: `${uri7}#`,
    $id: `${uri7}#`,
    definitions: {
      ...values,
      schemaArray,
      nonNegativeIntegerDefault0: { allOf: [count, { default: 0 }] },
    },
    type: schemaTypes,
    properties: {
      $id: { type: "string", format: "uri-reference" },
      $schema: { type: "string", format: "uri" },
      $ref: { type: "string", format: "uri-reference" },
      $comment: text,
      ...shared.metaData,
      ...shared.validation,
      ...shared.content,
      ...shared.applicator,
      format: text,
      additionalItems: schema,
      items: { anyOf: [schema, list], default: true },
      definitions: map,
      dependencies: { type: "object", additionalProperties: { anyOf: [schema, strings] } },
    },
    default: true,
  };
}

let documents: ReadonlyMap<string, unknown> | undefined;

/** The metaschemas of draft 2020-12 and draft-07 by URI; made when one is first asked for. */
export function metaschema(uri: string): JSONSchema | undefined {
  if (!uri.includes("json-schema.org/")) {
    return undefined;
  }
  documents ??= new Map([...draft2020(), [uri7, draft07()]]);
  return documents.get(uri) as JSONSchema | undefined;
}
