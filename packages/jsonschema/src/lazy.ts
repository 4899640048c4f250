/**
 * The build for programs that must start fast: as `@tenon/jsonschema/core`, but what says what is wrong with a value is loaded when the first
 * value is wrong, by `import()`. `check` is asynchronous then.
 *
 * @packageDocumentation
 */
export { explain } from "./explain.ts";
export { compile, type LazyValidator } from "./lazy/compile.ts";
export { resolveSchema } from "./lazy/resolve-schema.ts";
