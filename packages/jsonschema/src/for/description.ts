import type { JSONSchema } from "../schema.ts";
import type { CheckResult, ValidationIssue, Validator } from "../validator.ts";

/** Compiles what a description says. */
export type Compile = (schema: JSONSchema) => Compiled;

/** Compiles what one branch of a description says: only whether a value conforms is asked. */
export type CompileBranch = (schema: JSONSchema) => Pick<Compiled, "is">;

/** The part of a validator that resolving needs. `check` may be asynchronous for invalid values. */
export interface Compiled extends Pick<Validator, "applyDefaults" | "schema"> {
  is(value: unknown): boolean;
  check(value: unknown): CheckResult<unknown> | Promise<CheckResult<unknown>>;
}

/**
 * The methods of a class with described fields, or of a kind, that resolve it. They are found
 * through {@link description} and never imported, so that a program without described classes does
 * not contain them.
 */
export interface Description {
  /** The JSON Schema for the wire. */
  schema(): JSONSchema;
  /** The JSON form of a value, as `encodeInstance` makes it. */
  encode(value: unknown): unknown;
  /**
   * Returns the value of its validated JSON form, as `revive` does. Problems are added to `errors`.
   */
  decode(value: unknown, errors: ValidationIssue[], compile: CompileBranch): unknown;
}

/**
 * The key of a {@link Description}: on the schema that a kind returns, and in the metadata of a
 * class as a function of the class. The symbol is registered, so that two copies of this package
 * understand each other's classes.
 */
export const description: unique symbol = Symbol.for("tenon.jsonschema.description");

/**
 * The facts of a class that decorators and `Model` record, by symbol. Those of its base class are
 * on the prototype.
 */
export type Metadata = Record<symbol, unknown>;

/** The metadata of a class. */
export function readMetadata(target: object): Metadata | undefined {
  const holder = target as Record<symbol, Metadata | null | undefined>;
  const symbol = (Symbol as { metadata?: symbol }).metadata;
  const metadata = symbol === undefined ? undefined : holder[symbol];
  // A polyfill may have replaced the symbol since.
  return metadata ?? holder[Symbol.for("Symbol.metadata")] ?? undefined;
}

/** The description of a kind or of a class, if it has one. */
export function descriptionOf(source: object): Description | undefined {
  if (description in source) {
    return source[description] as Description;
  }
  const describe = readMetadata(source)?.[description] as ((target: object) => Description) | undefined;
  return describe?.(source);
}
