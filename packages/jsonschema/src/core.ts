/**
 * The smallest build: closures only, for bundles and for packages that are part of them. Formats
 * are those given as `customFormats` (see `@tenon/jsonschema/formats`), metaschemas those given as
 * `schemas`, dialects the standard ones; `engine` has no effect, and options are not checked. Of
 * untrusted patterns only those without repetition are taken unless `regExp` is given, and
 * `maxSteps` does not bound the product of schema and instance: use `@tenon/jsonschema/untrusted`
 * for the schemas of a peer. A validator has `is`, `check` and `parse`.
 *
 * `resolveSchema` takes all four ways to write an input or an output. What it takes to read a class
 * is in the bundle if a class is described in it, because the decorators and `Model` of the main
 * entry bring it along.
 *
 * @packageDocumentation
 */
export { compile, tryCompile } from "./core/compile.ts";
export type { Attempt } from "./attempt.ts";
export { resolveSchema } from "./core/resolve-schema.ts";
export {
  createResolver,
  type ResolvedSchema,
  type ResolveOptions,
  type ResolveSchema,
} from "./sources/resolver.ts";
export type { Compile } from "./for/description.ts";
export { explain } from "./explain.ts";
export { isSchemaError, SchemaError, type SchemaErrorCode } from "./error.ts";
export type { CompileOptions, Draft, FormatCheck, SchemaLimits } from "./options.ts";
export type { JSONSchema, JSONSchemaObject, JSONSchemaType } from "./schema.ts";
export { isValidationError, ValidationError } from "./validation-error.ts";
export type { CheckResult, CoreValidator, ValidationIssue, ValidationParams } from "./validator.ts";
export type { Infer, InferInput, ObjectLiteral } from "./infer/infer.ts";
export type { Described, InputOf, OutputOf, Source } from "./for/source.ts";
export type { Class } from "./standard/class.ts";
