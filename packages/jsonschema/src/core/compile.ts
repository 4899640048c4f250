import { attempt, type Attempt } from "../attempt.ts";
import { compileIn } from "../compile.ts";
import type { InferInput } from "../infer/infer.ts";
import type { CompileOptions } from "../options.ts";
import { errorsOf } from "../report/errors.ts";
import type { JSONSchema } from "../schema.ts";
import type { CoreValidator } from "../validator.ts";

/**
 * Compiles a schema with closures only. The type of the validator is inferred from a schema
 * literal.
 *
 * @throws {@link SchemaError} as `compile` of the main entry does
 */
export function compile<const S extends JSONSchema>(
  schema: S,
  options?: CompileOptions,
): CoreValidator<InferInput<S>>;
/** Compiles a schema whose type the caller knows: `compile<Point>(schema)`. */
export function compile<T = unknown>(schema: JSONSchema, options?: CompileOptions): CoreValidator<T>;
export function compile<T>(schema: JSONSchema, options?: CompileOptions): CoreValidator<T> {
  return compileIn<T, object>({ errors: errorsOf, extras: () => ({}) }, schema, options);
}

/**
 * Like {@link compile}, with the {@link SchemaError} as a value: one broken schema must not spoil a
 * list of them.
 */
export function tryCompile<const S extends JSONSchema>(
  schema: S,
  options?: CompileOptions,
): Attempt<CoreValidator<InferInput<S>>>;
/** The same for a schema whose type the caller knows. */
export function tryCompile<T = unknown>(
  schema: JSONSchema,
  options?: CompileOptions,
): Attempt<CoreValidator<T>>;
export function tryCompile<T>(schema: JSONSchema, options?: CompileOptions): Attempt<CoreValidator<T>> {
  return attempt(() => compile<T>(schema, options));
}
