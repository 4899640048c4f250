import { attempt, type Attempt } from "../attempt.ts";
import { compileIn, type Environment } from "../compile.ts";
import type { CompileOptions } from "../options.ts";
import type { JSONSchema } from "../schema.ts";
import type { CoreValidator } from "../validator.ts";

/** The parts that are always there, and nothing else. */
export const environment: Environment<object> = {
  formats: {},
  documents: () => undefined,
  dialect: undefined,
  engine: undefined,
  shortcut: undefined,
  linear: undefined,
  extras: () => ({}),
};

/**
 * Compiles a schema with closures only.
 *
 * @throws {@link SchemaError} as `compile` of the main entry does
 */
export function compile<T = unknown>(schema: JSONSchema, options?: CompileOptions): CoreValidator<T> {
  return compileIn<T, object>(environment, schema, options);
}

/** Like {@link compile}, with the {@link SchemaError} as a value: one broken schema must not spoil a list of them. */
export function tryCompile<T = unknown>(
  schema: JSONSchema,
  options?: CompileOptions,
): Attempt<CoreValidator<T>> {
  return attempt(() => compile<T>(schema, options));
}
