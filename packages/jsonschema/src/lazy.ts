/**
 * The build for programs that must start fast. It contains a small validator for flat schemas
 * (types, bounds, lengths, patterns, choices, properties and items, without references). The
 * compiler for all others is loaded by `import()`, and so is the code that reports errors.
 * `check` is asynchronous then. To put the errors in words, load `explain` of
 * `@tenon/jsonschema/core` by `import()` too.
 *
 * @packageDocumentation
 */
export { compile, type LazyValidator } from "./lazy/compile.ts";
export { resolveSchema } from "./lazy/resolve-schema.ts";
