import type { Schema } from "./case.ts";

/** Says whether an instance is valid. */
export type Is = (instance: unknown) => boolean;

/** Finds all errors of an instance and returns how many there are. */
export type CountErrors = (instance: unknown) => number;

/**
 * A validator library in the setting that does the same work as the others: 2020-12, formats
 * asserted.
 */
export interface Engine {
  readonly name: string;
  compile(schema: Schema): Is | Promise<Is>;
  compileErrors(schema: Schema): CountErrors | Promise<CountErrors>;
}
