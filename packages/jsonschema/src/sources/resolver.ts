import { descriptionOf, type Compile, type CompileBranch, type Description } from "../for/description.ts";
import type { OutputOf, Source } from "../for/source.ts";
import { asObject, type JSONSchema, type JSONSchemaObject } from "../schema.ts";
import type { Class } from "../standard/class.ts";
import { locationOf } from "../standard/location.ts";
import { namingField } from "../standard/naming-field.ts";
import { classOf, invalid, isStandardJSONSchema, notASource } from "../standard/recognise.ts";
import type { StandardIssue, StandardJSONSchema, StandardResult, StandardSchema } from "../standard/spec.ts";
import { withDefaults } from "../standard/with-defaults.ts";
import type { CheckResult, ValidationIssue } from "../validator.ts";
import { isMembers } from "../value/members.ts";

/** A {@link Source} made ready for use. */
export interface ResolvedSchema<V = unknown> {
  /**
   * The schema for clients: always an object, never a bare `true` or `false`. A literal schema is
   * unchanged.
   */
  readonly jsonSchema: JSONSchemaObject;
  /**
   * Checks a value and converts it for the direction. Returns a promise only for schemas of other
   * libraries with asynchronous checks, and in the lazy build for values that do not match. Does
   * not throw for invalid values. Errors thrown by a library's own code are passed on.
   */
  check(value: unknown): CheckResult<V> | Promise<CheckResult<V>>;
  /**
   * Loads the code that {@link ResolvedSchema.check} cannot do without. Only the lazy build has it.
   *
   * @returns `undefined` if nothing has to be loaded
   * @throws SchemaError, directly or by the promise, for problems in the schema that only that code
   *   can find
   */
  readonly load?: (() => Promise<unknown> | undefined) | undefined;
}

/** Options of {@link ResolveSchema}. */
export interface ResolveOptions {
  /**
   * `"input"` (default): received JSON is checked and converted to the value for a handler;
   * defaults are applied, and instances of classes are created. `"output"`: the return value of a
   * handler is encoded and checked, and becomes JSON.
   */
  readonly direction?: "input" | "output" | undefined;
}

/**
 * Resolves each of the four ways to write an input or an output: a class with described fields
 * (decorated or a `Model`), a JSON Schema literal, and a schema of any library that implements
 * Standard Schema and Standard JSON Schema (zod, ArkType, valibot through its adapter), whose own
 * checks then run. A field type (`array(Place)`) works too.
 *
 * The result is cached per source and direction as long as the source exists, so a server per
 * request has no extra cost.
 *
 * @throws SchemaError for any other source, and for a source whose schema is not valid; the error
 *   of a library whose schema has no JSON Schema (`TypeError`, or the library's own error)
 */
export interface ResolveSchema {
  (source: Source, options: ResolveOptions & { readonly direction: "output" }): ResolvedSchema;
  <const S extends Source>(source: S, options?: ResolveOptions): ResolvedSchema<OutputOf<S>>;
}

type Direction = "input" | "output";

/**
 * Makes a {@link ResolveSchema} that compiles with the given function. It finds what classes
 * describe through their metadata, so it is small where no class is described.
 */
// @__NO_SIDE_EFFECTS__
export function createResolver(compile: Compile): ResolveSchema {
  return createResolverOf((schema) => ({ check: withDefaults(compile(schema)) }), compile);
}

/**
 * Makes a {@link ResolveSchema} of two functions.
 *
 * @param prepare - makes the check of a whole schema, which applies defaults first
 * @param compileBranch - compiles one branch of a class, once the check of the whole schema has
 *   found the value valid
 */
// @__NO_SIDE_EFFECTS__
export function createResolverOf(
  prepare: (schema: JSONSchema) => Pick<ResolvedSchema, "check" | "load">,
  compileBranch: CompileBranch,
): ResolveSchema {
  const known = {
    input: new WeakMap<object, ResolvedSchema>(),
    output: new WeakMap<object, ResolvedSchema>(),
  };

  function resolveSchema(
    source: Source,
    { direction = "input" }: ResolveOptions = {},
  ): ResolvedSchema<never> {
    if (typeof source === "boolean") {
      return ofLiteral(source) as ResolvedSchema<never>;
    }
    let resolved = known[direction].get(source);
    if (resolved === undefined) {
      known[direction].set(source, (resolved = resolve(source, direction)));
    }
    return resolved as ResolvedSchema<never>;
  }

  function resolve(source: Exclude<Source, boolean>, direction: Direction): ResolvedSchema {
    // Before functions: the types of ArkType are callable.
    if (isStandardJSONSchema(source)) {
      return ofStandard(source, direction);
    }
    if (typeof source === "function") {
      return ofDescription(described(source), direction);
    }
    if (isMembers(source)) {
      return ofLiteral(source);
    }
    throw notASource(source);
  }

  function ofLiteral(schema: JSONSchema): ResolvedSchema {
    return { jsonSchema: asObject(schema), ...prepare(schema) };
  }

  function ofDescription(description: Description, direction: Direction): ResolvedSchema {
    const jsonSchema = asObject(description.schema());
    const { check, load } = prepare(jsonSchema);
    if (direction === "output") {
      return { jsonSchema, load, check: (value) => check(description.encode(value)) };
    }
    return {
      jsonSchema,
      load,
      check(value) {
        const result = check(value);
        return result instanceof Promise ? result.then(revive) : revive(result);
      },
    };

    function revive(result: CheckResult<unknown>): CheckResult<unknown> {
      if (!result.valid) {
        return result;
      }
      const errors: ValidationIssue[] = [];
      const revived = description.decode(result.value, errors, compileBranch);
      return errors.length > 0 ? { valid: false, errors } : { valid: true, value: revived };
    }
  }

  function ofStandard(source: StandardJSONSchema, direction: Direction): ResolvedSchema {
    const { jsonSchema, validate } = source["~standard"] as StandardJSONSchema["~standard"] &
      Partial<StandardSchema["~standard"]>;
    const write = (one: StandardJSONSchema): unknown =>
      one["~standard"].jsonSchema[direction]({ target: "draft-2020-12" });
    let schema: JSONSchemaObject;
    try {
      schema = jsonSchema[direction]({ target: "draft-2020-12" });
    } catch (cause) {
      throw namingField(source, cause, write);
    }
    if (validate === undefined) {
      return ofLiteral(schema);
    }
    return {
      jsonSchema: schema,
      check(value) {
        const result = validate(value);
        return result instanceof Promise ? result.then(fromStandard) : fromStandard(result);
      },
    };
  }

  return resolveSchema;
}

function described(source: object): Description {
  const own = descriptionOf(source);
  if (own !== undefined) {
    return own;
  }
  const target = classOf(source as Class | (() => Class));
  const description = descriptionOf(target);
  if (description !== undefined) {
    return description;
  }
  throw invalid(`class ${target.name || "without a name"} has no described fields`);
}

function fromStandard(result: StandardResult<unknown>): CheckResult<unknown> {
  return result.issues === undefined
    ? { valid: true, value: result.value }
    : { valid: false, errors: result.issues.map(issueOf) };
}

function issueOf(issue: StandardIssue): ValidationIssue {
  // Standard Schema does not name the failed rule.
  return {
    instanceLocation: locationOf(issue),
    keywordLocation: "",
    absoluteKeywordLocation: "#",
    keyword: "standard",
    params: { expected: undefined, received: undefined },
    message: issue.message,
  };
}
