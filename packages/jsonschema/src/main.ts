import { engine, reportEngine } from "#engine";

import { attempt, type Attempt } from "./attempt.ts";
import { bounds } from "./build/bounds.ts";
import { checkOptions } from "./check-options.ts";
import { maskedCheck } from "./closures/masked.ts";
import { compileIn, type Environment } from "./compile.ts";
import { customDialect } from "./dialect/custom.ts";
import { metaschema } from "./dialect/metaschemas.ts";
import { extras, type Extras } from "./extras.ts";
import { formats } from "./format/index.ts";
import type { InferredValidator } from "./infer/infer.ts";
import type { CompileOptions } from "./options.ts";
import { errorsOf } from "./report/errors.ts";
import type { JSONSchema } from "./schema.ts";
import { standardOf } from "./standard-validator.ts";
import type { Validator } from "./validator.ts";

const environment: Environment<Extras> = {
  formats,
  documents: metaschema,
  dialect: customDialect,
  engine,
  shortcut: maskedCheck,
  bounds,
  errors: (state) => errorsOf(state, reportEngine),
  extras,
};

/**
 * Compiles a schema: draft 2020-12, or the dialect its `$schema` names. Cheap: the check is
 * compiled at the first validation, and the error reports at the first failure. The schema is never
 * modified.
 *
 * The type of the validator is inferred from a schema literal, without `as const`. With
 * `compile<T>(schema)` the caller asserts the type.
 *
 * @example
 * const point = compile({ type: "object", properties: { x: { type: "number" } }, required: ["x"]
 * }); point.is({ x: 1 }); // true, and the compiler knows the type from here on
 * point.parse({}); // throws a ValidationError that says what is missing, and where
 *
 * @throws {@link SchemaError} for a schema that is malformed, unresolvable, of an unknown dialect
 *   or beyond a limit
 * @throws TypeError for an option that does not exist, or a value that an option cannot have
 */
export function compile<const S extends JSONSchema>(
  schema: S,
  options?: CompileOptions,
): InferredValidator<S>;
/**
 * Compiles a schema whose type the caller knows: `compile<Point>(schema)`, or `unknown` for one
 * that came from elsewhere.
 */
export function compile<T = unknown>(schema: JSONSchema, options?: CompileOptions): Validator<T>;
export function compile<T>(schema: JSONSchema, options?: CompileOptions): Validator<T> {
  if (options !== undefined) {
    checkOptions(options);
  }
  const validator = compileIn(environment, schema, options) as Omit<Validator<T>, "~standard">;
  return Object.assign(validator, { "~standard": standardOf(validator) });
}

/**
 * Like {@link compile}, with the {@link SchemaError} as a value: one broken schema must not spoil a
 * list of them.
 */
export function tryCompile<const S extends JSONSchema>(
  schema: S,
  options?: CompileOptions,
): Attempt<InferredValidator<S>>;
/**
 * Like {@link compile} with a type that the caller knows, and the {@link SchemaError} as a value.
 */
export function tryCompile<T = unknown>(schema: JSONSchema, options?: CompileOptions): Attempt<Validator<T>>;
export function tryCompile<T>(schema: JSONSchema, options?: CompileOptions): Attempt<Validator<T>> {
  return attempt(() => compile<T>(schema, options));
}
