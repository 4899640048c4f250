/**
 * The smallest build: `is`, `check` and `parse` on the closure engine. Formats are those given as `customFormats` (see
 * `@tenon/jsonschema/formats`), metaschemas those given as `schemas`; `engine` has no effect, and of untrusted patterns
 * only those without repetition are taken unless `regExp` is given.
 *
 * @packageDocumentation
 */
import { compileIn, type Environment } from "./compile.ts";
import type { CompileOptions } from "./options.ts";
import type { JSONSchema } from "./schema.ts";
import type { CoreValidator } from "./validator.ts";

export {
  isSchemaError,
  isValidationError,
  SchemaError,
  ValidationError,
  type SchemaErrorCode,
} from "./error.ts";
export type { CompileOptions, Draft, FormatCheck, Limits } from "./options.ts";
export type { JSONSchema, JSONSchemaObject, JSONSchemaType } from "./schema.ts";
export type { CheckResult, CoreValidator, ValidationIssue, ValidationParams } from "./validator.ts";

const environment: Environment = {
  formats: {},
  documents: () => undefined,
  codegen: undefined,
  linear: undefined,
  extras: undefined,
};

/**
 * Compiles a schema with closures only.
 *
 * @throws {@link SchemaError} as `compile` of the main entry does
 */
export function compile<T = unknown>(schema: JSONSchema, options?: CompileOptions): CoreValidator<T> {
  return compileIn<T>(environment, schema, options);
}
