/**
 * Values for a schema, for tests: conforming ones, and others that miss by one detail.
 *
 * @packageDocumentation
 */
export { createGenerator, type GeneratorOptions, type ValueGenerator } from "./generate/generator.ts";
export type { NearMiss } from "./generate/near-miss.ts";
export { seededRandom, type Random } from "./generate/random.ts";
export type { JSONSchema } from "./schema.ts";
