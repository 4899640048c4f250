/**
 * For schemas from untrusted authors: closures, all formats, the linear-time matcher for patterns
 * and the metaschemas. It contains no code generator and no decorators. A validator has `is`,
 * `check` and `parse`.
 *
 * @packageDocumentation
 */
import { attempt, type Attempt } from "./attempt.ts";
import { bounds } from "./build/bounds.ts";
import { checkOptions } from "./check-options.ts";
import { compileIn, type Environment } from "./compile.ts";
import { customDialect } from "./dialect/custom.ts";
import { metaschema } from "./dialect/metaschemas.ts";
import { formats } from "./format/index.ts";
import type { CompileOptions } from "./options.ts";
import { errorsOf } from "./report/errors.ts";
import type { JSONSchema } from "./schema.ts";
import type { CoreValidator } from "./validator.ts";

export type { Attempt } from "./attempt.ts";
export { explain } from "./explain.ts";

const environment: Environment<object> = {
  formats,
  documents: metaschema,
  dialect: customDialect,
  bounds,
  errors: errorsOf,
  extras: () => ({}),
};

/**
 * Compiles a schema that is not trusted: see `untrusted` of {@link CompileOptions}, which is always
 * `true` here.
 *
 * @returns The validator, or the `SchemaError` as a value.
 * @throws TypeError for an option that does not exist, or a value that an option cannot have
 */
export function tryCompile<T = unknown>(
  schema: JSONSchema,
  options: Omit<CompileOptions, "untrusted" | "engine"> = {},
): Attempt<CoreValidator<T>> {
  checkOptions(options);
  return attempt(() => compileIn<T, object>(environment, schema, { ...options, untrusted: true }));
}
