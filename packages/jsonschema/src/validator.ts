import type { JSONSchema } from "./schema.ts";
import type { StandardValidator } from "./standard/spec.ts";

/**
 * The expected and the received value of a failed keyword. Neither contains a whole object or array
 * of the instance.
 */
export interface ValidationParams {
  /** The keyword's demand: a type name, a bound, the list of allowed values, a property name, … */
  readonly expected: unknown;
  /**
   * The offending primitive (strings cut at 64 characters), a count, or the name of the JSON type
   * met.
   */
  readonly received: unknown;
}

/**
 * One failed keyword. Locations are JSON Pointers (RFC 6901), see JSON Schema core 2020-12 §12.3.
 * An issue that does not depend on the value is the same frozen object in every report: copy it to
 * change it.
 */
export interface ValidationIssue {
  /** The location in the instance, `""` for the whole instance. */
  readonly instanceLocation: string;
  /** The path through the schema that evaluation took, following `$ref`. */
  readonly keywordLocation: string;
  /**
   * The URI of the keyword itself, after following `$ref`; starts with `#` when the schema has no
   * base URI.
   */
  readonly absoluteKeywordLocation: string;
  /**
   * The keyword's name; `""` when a `false` schema failed, `"limit"` when a limit of the validator
   * was hit.
   */
  readonly keyword: string;
  readonly params: ValidationParams;
  /** One sentence in English, without the instance's location. */
  readonly message: string;
}

/** The result of `Validator.check`. */
export type CheckResult<T> =
  | { readonly valid: true; readonly value: T }
  | { readonly valid: false; readonly errors: readonly ValidationIssue[] };

/** Names of the standard output formats (JSON Schema core 2020-12 §12.4). */
export type OutputFormat = "flag" | "basic" | "detailed" | "verbose";

/** A node of the standard output (JSON Schema core 2020-12 §12.3). `flag` fills `valid` only. */
export interface OutputUnit {
  readonly valid: boolean;
  readonly keywordLocation?: string;
  readonly absoluteKeywordLocation?: string;
  readonly instanceLocation?: string;
  readonly error?: string;
  readonly annotation?: unknown;
  readonly errors?: readonly OutputUnit[];
  readonly annotations?: readonly OutputUnit[];
}

/** Options of {@link Validator.applyDefaults}. */
export interface DefaultsOptions {
  /** Fill in the given value itself instead of a copy. Default `false`. */
  readonly mutate?: boolean | undefined;
}

/**
 * A compiled schema. Immutable and reusable; holds nothing outside itself, so dropping it frees it.
 *
 * @typeParam T - the type the schema describes; a promise of the caller, or of `InferInput`
 * @typeParam D - the same after defaults were applied; `Infer`
 */
export interface CoreValidator<T = unknown> {
  /** The schema that was compiled: the same object, unchanged. */
  readonly schema: JSONSchema;
  /**
   * Returns whether the instance conforms. This is the fastest check. An instance that hits a limit
   * does not conform.
   */
  is(instance: unknown): instance is T;
  /**
   * The instance, or the reasons why it does not conform: at most `maxErrors` of them. Never
   * throws.
   */
  check(instance: unknown): CheckResult<T>;
  /**
   * Returns the instance if it conforms.
   *
   * @throws {@link ValidationError} (code `invalid-instance`) with the same errors as
   *   {@link CoreValidator.check}
   */
  parse(instance: unknown): T;
}

/**
 * A compiled schema with everything this package does.
 *
 * @typeParam T - the type the schema describes; a promise of the caller, or of `Infer`
 */
export interface Validator<T = unknown, D = T> extends CoreValidator<T> {
  /**
   * Implements Standard Schema v1 and Standard JSON Schema v1 (standardschema.dev), so that other
   * libraries accept the validator. Its `validate` applies defaults before it checks.
   */
  readonly "~standard": StandardValidator<T, D>;
  /**
   * Returns the standard output of JSON Schema core 2020-12 §12. `basic`, `detailed` and `verbose`
   * visit every branch. They reach `maxSteps` sooner than `is` does, and then contain only that
   * error.
   */
  output(instance: unknown, format: OutputFormat): OutputUnit;
  /**
   * The instance with its missing properties that have a `default`, in a copy if there are any:
   * through `properties`, `patternProperties`, `additionalProperties`, array items, `$ref`,
   * `allOf`, and the branch that a discriminating property selects or that alone takes values of
   * that type; never inside undecided unions, and never for required properties. An object is made
   * for a missing property with defaults inside, if it then conforms; of a schema that contains
   * itself none is made, and inside one missing property at most 1000. Does not validate. A value
   * that does not change is shared with the original, and a value that reaches a limit is not
   * filled.
   */
  applyDefaults(instance: T, options?: DefaultsOptions): D;
  /** The same for a value that is not known to conform. */
  applyDefaults(instance: unknown, options?: DefaultsOptions): unknown;
}
