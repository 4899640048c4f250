/**
 * The TypeScript types of JSON schemas, as text.
 *
 * @packageDocumentation
 */
export { createTypeWriter, type TypeWriter, type TypeWriterOptions } from "./typescript/writer.ts";
export { commentFor } from "./typescript/comment.ts";
export { camelCase, createNames, pascalCase, type Names } from "./typescript/names.ts";
export { literal, propertyName } from "./typescript/escape.ts";
export type { JSONSchema } from "./schema.ts";
