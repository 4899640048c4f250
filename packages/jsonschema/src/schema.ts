/**
 * A JSON Schema document or subschema: an object of keywords, or `true` (anything) or `false`
 * (nothing).
 */
export type JSONSchema = boolean | JSONSchemaObject;

/** The names `type` may list (validation vocabulary §6.1.1). */
export type JSONSchemaType = "null" | "boolean" | "number" | "integer" | "string" | "array" | "object";

/**
 * The keywords of draft 2020-12, and the keywords of draft-07 that differ. Any other key is allowed
 * at run time and preserved.
 *
 * It has no index signature on purpose: object types of other libraries stay assignable to it.
 */
export interface JSONSchemaObject {
  readonly $schema?: string;
  readonly $id?: string;
  readonly $ref?: string;
  readonly $anchor?: string;
  readonly $dynamicRef?: string;
  readonly $dynamicAnchor?: string;
  readonly $vocabulary?: Readonly<Record<string, boolean>>;
  readonly $comment?: string;
  readonly $defs?: Readonly<Record<string, JSONSchema>>;
  readonly definitions?: Readonly<Record<string, JSONSchema>>;

  readonly type?: JSONSchemaType | readonly JSONSchemaType[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];

  readonly multipleOf?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly exclusiveMaximum?: number;

  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly format?: string;

  readonly prefixItems?: readonly JSONSchema[];
  readonly items?: JSONSchema | readonly JSONSchema[];
  readonly additionalItems?: JSONSchema;
  readonly contains?: JSONSchema;
  readonly minContains?: number;
  readonly maxContains?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly uniqueItems?: boolean;
  readonly unevaluatedItems?: JSONSchema;

  readonly properties?: Readonly<Record<string, JSONSchema>>;
  readonly patternProperties?: Readonly<Record<string, JSONSchema>>;
  readonly additionalProperties?: JSONSchema;
  readonly propertyNames?: JSONSchema;
  readonly unevaluatedProperties?: JSONSchema;
  readonly required?: readonly string[];
  readonly minProperties?: number;
  readonly maxProperties?: number;
  readonly dependentRequired?: Readonly<Record<string, readonly string[]>>;
  readonly dependentSchemas?: Readonly<Record<string, JSONSchema>>;
  readonly dependencies?: Readonly<Record<string, JSONSchema | readonly string[]>>;

  readonly allOf?: readonly JSONSchema[];
  readonly anyOf?: readonly JSONSchema[];
  readonly oneOf?: readonly JSONSchema[];
  readonly not?: JSONSchema;
  readonly if?: JSONSchema;
  readonly then?: JSONSchema;
  readonly else?: JSONSchema;

  readonly title?: string;
  readonly description?: string;
  readonly default?: unknown;
  readonly examples?: readonly unknown[];
  readonly deprecated?: boolean;
  readonly readOnly?: boolean;
  readonly writeOnly?: boolean;
  readonly contentEncoding?: string;
  readonly contentMediaType?: string;
  readonly contentSchema?: JSONSchema;
}

/** A schema object whose keywords are not known to be well formed yet. */
export type RawSchema = Readonly<Record<string, unknown>>;

/** The schema as an object of keywords. */
export function asObject(schema: JSONSchema): JSONSchemaObject {
  if (typeof schema === "object") {
    return schema;
  }
  return schema ? {} : { not: {} };
}
