import { attempt, type Attempt } from "../attempt.ts";
import { compileIn } from "../compile.ts";
import type { CompileOptions } from "../options.ts";
import { errorsOf } from "../report/errors.ts";
import type { JSONSchema } from "../schema.ts";
import type { CoreValidator } from "../validator.ts";

/**
 * Compiles a schema with closures only.
 *
 * @throws {@link SchemaError} as `compile` of the main entry does
 */
export function compile<T = unknown>(schema: JSONSchema, options?: CompileOptions): CoreValidator<T> {
  return compileIn<T, object>({ errors: errorsOf, extras: () => ({}) }, schema, options);
}

/**
 * Like {@link compile}, with the {@link SchemaError} as a value: one broken schema must not spoil a
 * list of them.
 */
export function tryCompile<T = unknown>(
  schema: JSONSchema,
  options?: CompileOptions,
): Attempt<CoreValidator<T>> {
  return attempt(() => compile<T>(schema, options));
}
