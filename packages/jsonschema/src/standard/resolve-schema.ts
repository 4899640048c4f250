import { decodeSpec } from "../for/decode.ts";
import { encodeValue } from "../for/encode.ts";
import { For, schemaOfSpec } from "../for/for.ts";
import type { FieldSpec } from "../for/shape.ts";
import type { OutputOf, Source } from "../for/source.ts";
import { specOf } from "../for/spec-of.ts";
import { compile } from "../main.ts";
import type { JSONSchema, JSONSchemaObject } from "../schema.ts";
import type { CheckResult, ValidationIssue } from "../validator.ts";
import { checkWithDefaults } from "./of-validator.ts";
import type { StandardIssue, StandardJSONSchema, StandardResult, StandardSchema } from "./spec.ts";

/** A {@link Source} made ready for use. */
export interface ResolvedSchema<V = unknown> {
  /** What goes on the wire: always an object, never a bare `true` or `false`. A literal schema is given as it is. */
  readonly jsonSchema: JSONSchemaObject;
  /**
   * Checks a value and turns it into what lies on the other side. A promise only for schemas of other libraries with
   * asynchronous checks. Does not throw for bad values; what a library's own code throws passes through.
   */
  check(value: unknown): CheckResult<V> | Promise<CheckResult<V>>;
}

/** Options of {@link resolveSchema}. */
export interface ResolveOptions {
  /**
   * `"input"` (default): JSON from the wire is checked and becomes what a handler gets; defaults are applied, classes
   * revived. `"output"`: what a handler returns is encoded and checked, and becomes JSON for the wire.
   */
  readonly direction?: "input" | "output" | undefined;
}

/**
 * Makes one thing of the four ways to write an input or an output: a class with described fields (decorated or a
 * `Model`), a JSON Schema literal, and a schema of any library that implements Standard Schema and Standard JSON
 * Schema (zod, ArkType, valibot through its adapter), whose own checks then run. A kind (`array(Place)`) works too.
 *
 * Made once per source and direction and kept as long as the source lives, so a server per request costs nothing.
 *
 * @throws SchemaError for a source that is none of these or makes no valid schema; what a library throws when its
 * schema has no JSON Schema (`TypeError`, or its own kind) passes through
 */
export function resolveSchema(
  source: Source,
  options: ResolveOptions & { readonly direction: "output" },
): ResolvedSchema;
export function resolveSchema<const S extends Source>(
  source: S,
  options?: ResolveOptions,
): ResolvedSchema<OutputOf<S>>;
export function resolveSchema(source: Source, { direction = "input" }: ResolveOptions = {}): ResolvedSchema {
  if (typeof source === "boolean") return resolve(source, direction);
  const known = RESOLVED[direction].get(source);
  if (known !== undefined) return known;
  const resolved = resolve(source, direction);
  RESOLVED[direction].set(source, resolved);
  return resolved;
}

const RESOLVED = {
  input: new WeakMap<object, ResolvedSchema>(),
  output: new WeakMap<object, ResolvedSchema>(),
};

type Direction = "input" | "output";

function resolve(source: Source, direction: Direction): ResolvedSchema {
  const spec = specOf(source);
  switch (spec.shape.kind) {
    case "json":
      return ofLiteral(spec.shape.schema);
    case "standard":
      return ofStandard(spec.shape.source, direction);
    default:
      return ofSpec(spec, direction);
  }
}

function ofLiteral(schema: JSONSchema): ResolvedSchema {
  const validator = compile(schema);
  return { jsonSchema: asObject(schema), check: (value) => checkWithDefaults(validator, value) };
}

function ofSpec(spec: FieldSpec, direction: Direction): ResolvedSchema {
  const { shape } = spec;
  const plain = shape.kind === "class" && !spec.nullable && Object.keys(spec.keywords).length === 0;
  const jsonSchema = asObject(plain ? For(shape.resolve()) : schemaOfSpec(spec));
  const validator = compile(jsonSchema);
  if (direction === "output") {
    return { jsonSchema, check: (value) => checkWithDefaults(validator, encodeValue(spec, value, 0)) };
  }
  return {
    jsonSchema,
    check(value) {
      const result = checkWithDefaults(validator, value);
      if (!result.valid) return result;
      const errors: ValidationIssue[] = [];
      const revived = decodeSpec(spec, result.value, errors);
      return errors.length > 0 ? { valid: false, errors } : { valid: true, value: revived };
    },
  };
}

function ofStandard(source: StandardJSONSchema, direction: Direction): ResolvedSchema {
  const { jsonSchema, validate } = source["~standard"] as StandardJSONSchema["~standard"] &
    Partial<StandardSchema["~standard"]>;
  const schema = jsonSchema[direction]({ target: "draft-2020-12" }) as JSONSchemaObject;
  if (validate === undefined) {
    const validator = compile(schema);
    return { jsonSchema: schema, check: (value) => checkWithDefaults(validator, value) };
  }
  return {
    jsonSchema: schema,
    check(value) {
      const result = validate(value);
      return result instanceof Promise ? result.then(fromStandard) : fromStandard(result);
    },
  };
}

function fromStandard(result: StandardResult<unknown>): CheckResult<unknown> {
  return result.issues === undefined
    ? { valid: true, value: result.value }
    : { valid: false, errors: result.issues.map(issueOf) };
}

function issueOf({ message, path = [] }: StandardIssue): ValidationIssue {
  const instanceLocation = path
    .map((segment) => String(typeof segment === "object" ? segment.key : segment))
    .map((name) => `/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`)
    .join("");
  // Standard Schema does not say which rule failed.
  return {
    instanceLocation,
    keywordLocation: "",
    absoluteKeywordLocation: "#",
    keyword: "standard",
    params: { expected: undefined, received: undefined },
    message,
  };
}

function asObject(schema: JSONSchema): JSONSchemaObject {
  if (typeof schema === "object") return schema;
  return schema ? {} : { not: {} };
}
