// Validator
export { compile, tryCompile } from "./main.ts";
export { compileAsync, type CompileAsyncLimits, type CompileAsyncOptions } from "./compile-async.ts";
export type { Attempt } from "./attempt.ts";
export { explain } from "./explain.ts";
export { isSchemaError, SchemaError, type SchemaErrorCode } from "./error.ts";
export type { CompileOptions, Draft, FormatCheck, SchemaLimits } from "./options.ts";
export type { JSONSchema, JSONSchemaObject, JSONSchemaType } from "./schema.ts";
export { isValidationError, ValidationError } from "./validation-error.ts";
export type {
  CheckResult,
  CoreValidator,
  DefaultsOptions,
  OutputFormat,
  OutputUnit,
  ValidationIssue,
  ValidationParams,
  Validator,
} from "./validator.ts";

// Types
export { defineSchema, type Infer, type InferInput, type InferredValidator } from "./infer/infer.ts";
export { For, type ForOptions } from "./for/for.ts";
export { inline, type InlineOptions } from "./for/inline.ts";
export { refine, type Refinement } from "./for/refine.ts";
export { schema, type ClassOptions } from "./for/class.ts";
export { Model, optional, type ModelClass, type ModelProperties, type ModelValue } from "./for/model.ts";
export { boolean, integer, number, oneOf, string } from "./for/scalar.ts";
export type { Constant, Kind, NumberKeywords, StringKeywords, TextKeywords } from "./for/scalar.ts";
export { bigint, bytes, date, url } from "./for/text.ts";
export { array, map, object, prop, union, type ArrayKeywords, type MapKeywords } from "./for/container.ts";
export type { FieldDecorator, FieldOptions } from "./for/decorator.ts";
export type { Described, InputOf, OutputOf, Source } from "./for/source.ts";
export type { Class } from "./standard/class.ts";
export { encodeInstance } from "./for/encode.ts";
export { revive } from "./for/revive.ts";
export { resolveSchema } from "./sources/resolve-schema.ts";
export {
  createResolver,
  type ResolvedSchema,
  type ResolveOptions,
  type ResolveSchema,
} from "./sources/resolver.ts";
export type { Compile } from "./for/description.ts";
export type {
  StandardIssue,
  StandardJSONSchema,
  StandardJSONSchemaOptions,
  StandardResult,
  StandardSchema,
} from "./standard/spec.ts";
