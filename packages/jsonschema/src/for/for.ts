import { splitKeywords } from "../dialect/schema-parts.ts";
import { SchemaError } from "../error.ts";
import { asObject, type JSONSchema, type JSONSchemaObject } from "../schema.ts";
import type { Class } from "../standard/class.ts";
import { deepEqual } from "../value/equal.ts";
import { embed, refersToItself, takeName } from "./embed.ts";
import { encodeValue, fieldOf } from "./encode.ts";
import { classSpecOf, fieldsOf } from "./metadata.ts";
import type { FieldSpec, Shape } from "./shape.ts";
import { surveyClasses } from "./survey.ts";

/** Options of {@link For}. */
export interface ForOptions {
  /**
   * Whether field initializers become `default`s. Requires a constructor without parameters.
   * Default: `true`.
   */
  readonly defaults?: boolean | undefined;
  /**
   * The place of a class that is used more than once: written out at every use (`"inline"`, the
   * default: some clients cannot follow `$ref`), or once under `$defs` (`"ref"`). Recursive classes
   * go under `$defs` in either case.
   */
  readonly reused?: "inline" | "ref" | undefined;
  /** Schemas that replace the descriptions of classes. */
  readonly typeSchemas?: ReadonlyMap<Class, JSONSchema> | undefined;
  /** The most classes written out, nested ones each time they occur. Default 1000. */
  readonly maxClasses?: number | undefined;
}

interface Emission {
  /** The class that is the whole document, if one is. */
  readonly root: Class | undefined;
  readonly options: ForOptions;
  /** Classes that are written under `$defs`. */
  readonly shared: ReadonlySet<Class>;
  /** Names under `$defs`, by their classes. */
  readonly names: Map<object, string>;
  readonly definitions: Record<string, JSONSchema>;
  budget: number;
}

/**
 * The JSON Schema (draft 2020-12) of a class with described fields: `type: "object"`, its
 * properties in order, inherited ones first, closed unless {@link schema} opens it. A property is
 * required unless it is optional or has a default; an initializer counts as one, and is written as
 * `default` unless it returns a `Date` or differs from instance to instance. Each call returns a
 * new object, which the caller may change.
 *
 * Portable on purpose: `type` is never a list, nullable values are `anyOf` with `null`, and `$ref`
 * occurs only for recursive classes unless `reused` asks for more.
 *
 * @throws SchemaError `invalid-class` for a class without described fields, `limit-exceeded` beyond
 *   `maxClasses`
 * @source S-138
 */
export function For(target: Class, options: ForOptions = {}): JSONSchemaObject {
  const replaced = options.typeSchemas?.get(target);
  if (replaced !== undefined) {
    return structuredClone(asObject(replaced));
  }
  const survey = surveyClasses(target, options.typeSchemas);
  const shared = new Set(options.reused === "ref" ? survey.reused : survey.recursive);
  shared.delete(target);
  const emission: Emission = {
    root: target,
    options,
    shared,
    names: new Map(),
    definitions: {},
    budget: options.maxClasses ?? 1000,
  };
  const schema = emitClass(target, emission);
  return Object.keys(emission.definitions).length === 0 ? schema : { ...schema, $defs: emission.definitions };
}

/** The schema of a description alone; recursive classes in it refer to `$defs` of their own. */
export function schemaOfSpec(spec: FieldSpec): JSONSchema {
  const emission: Emission = {
    root: undefined,
    options: {},
    shared: new Set(surveyClasses(spec).recursive),
    names: new Map(),
    definitions: {},
    budget: 1000,
  };
  const schema = emitSpec(spec, "value", emission);
  return typeof schema === "boolean" || Object.keys(emission.definitions).length === 0
    ? schema
    : { ...schema, $defs: emission.definitions };
}

function emitClass(target: Class, emission: Emission): JSONSchemaObject {
  if (--emission.budget < 0) {
    throw new SchemaError(
      "limit-exceeded",
      "#",
      'the schema writes out too many classes: pass { reused: "ref" } or raise maxClasses',
    );
  }
  const initials = emission.options.defaults === false ? [] : [initialValues(target), initialValues(target)];
  const properties: Record<string, JSONSchema> = {};
  const required: string[] = [];
  for (const { key, name, spec } of fieldsOf(target)) {
    const [initial, again] = initials.map((values) => encodeValue(spec, fieldOf(values, key)));
    // An initializer that returns the time, or a new value each time, is not a constant to publish.
    // It still fills the field of a revived instance.
    const constant =
      !(initials[0] !== undefined && fieldOf(initials[0], key) instanceof Date) && deepEqual(initial, again);
    const schema = withDefault(emitSpec(spec, name, emission), constant ? initial : undefined);
    properties[name] = schema;
    const filled = initial !== undefined || (typeof schema === "object" && schema.default !== undefined);
    if (!spec.optional && !filled) {
      required.push(name);
    }
  }
  const own = classSpecOf(target);
  return {
    ...structuredClone(own?.keywords),
    type: "object",
    properties,
    ...(required.length === 0 ? undefined : { required }),
    ...(own?.additionalProperties === true ? undefined : { additionalProperties: false }),
  };
}

function emitSpec(spec: FieldSpec, name: string, emission: Emission): JSONSchema {
  const keywords: JSONSchemaObject = structuredClone(
    spec.keywords.default === undefined
      ? spec.keywords
      : { ...spec.keywords, default: encodeValue(spec, spec.keywords.default) },
  );
  const base = emitShape(spec.shape, name, emission);
  if (spec.nullable) {
    const [annotations, assertions] = splitKeywords(keywords);
    return { ...annotations, anyOf: [beside(base, assertions), { type: "null" }] };
  }
  return beside(base, keywords);
}

function emitShape(shape: Shape, name: string, emission: Emission): JSONSchema {
  switch (shape.kind) {
    case "json":
      return emitDocument(shape.schema, shape, name, emission);
    case "text":
      return structuredClone(shape.schema);
    case "standard": {
      const schema = shape.source["~standard"].jsonSchema.input({ target: "draft-2020-12" });
      return emitDocument(schema, shape.source, name, emission);
    }
    case "class":
      return emitNested(shape.resolve(), name, emission);
    case "array":
      return { type: "array", items: emitSpec(shape.items, name, emission) };
    case "map":
      return { type: "object", additionalProperties: emitSpec(shape.values, name, emission) };
    case "union":
      break;
  }
  return { anyOf: shape.branches.map((branch) => emitSpec(branch, name, emission)) };
}

function emitDocument(document: JSONSchema, owner: object, name: string, emission: Emission): JSONSchema {
  if (typeof document === "boolean") {
    return document;
  }
  // Inside another schema the dialect is not this one's to name.
  const { $schema: _dialect, ...schema } = structuredClone(document);
  if (schema.$id !== undefined || !refersToItself(schema)) {
    return schema;
  }
  let chosen = emission.names.get(owner);
  if (chosen === undefined) {
    chosen = reserve(name, owner, emission);
    embed(schema, chosen, emission.definitions);
  }
  return { $ref: `#/$defs/${chosen}` };
}

function emitNested(target: Class, name: string, emission: Emission): JSONSchema {
  const replaced = emission.options.typeSchemas?.get(target);
  if (replaced !== undefined) {
    return emitDocument(replaced, target, name, emission);
  }
  if (target === emission.root) {
    return { $ref: "#" };
  }
  if (!emission.shared.has(target)) {
    return emitClass(target, emission);
  }
  let chosen = emission.names.get(target);
  if (chosen === undefined) {
    chosen = reserve(classSpecOf(target)?.name ?? name, target, emission);
    emission.definitions[chosen] = emitClass(target, emission);
  }
  return { $ref: `#/$defs/${chosen}` };
}

function reserve(wanted: string, owner: object, { names, definitions }: Emission): string {
  const name = takeName(wanted, definitions);
  names.set(owner, name);
  return name;
}

function beside(schema: JSONSchema, keywords: JSONSchemaObject): JSONSchema {
  if (Object.keys(keywords).length === 0) {
    return schema;
  }
  if (typeof schema === "object") {
    return { ...schema, ...keywords };
  }
  return schema ? keywords : { ...keywords, not: {} };
}

function withDefault(schema: JSONSchema, value: unknown): JSONSchema {
  if (value === undefined || (typeof schema === "object" && schema.default !== undefined)) {
    return schema;
  }
  return beside(schema, { default: value });
}

// The values that the field initializers leave in a fresh instance.
function initialValues(target: Class): object {
  if (target.length > 0) {
    return {};
  }
  try {
    return new (target as new () => object)();
  } catch {
    // An abstract class or one whose constructor needs its surroundings: no defaults.
    return {};
  }
}
