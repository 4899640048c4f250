import type { JSONSchema } from "../schema.ts";
import type { CheckResult, ValidationIssue, Validator } from "../validator.ts";

/** Compiles what a description says. */
export type Compile = (schema: JSONSchema) => Compiled;

/** Compiles what one branch of a description says: only whether a value conforms is asked. */
export type CompileBranch = (schema: JSONSchema) => Pick<Compiled, "is">;

/** What resolving needs of a validator. `check` may need time to say what is wrong. */
export interface Compiled extends Pick<Validator, "applyDefaults" | "schema"> {
  is(value: unknown): boolean;
  check(value: unknown): CheckResult<unknown> | Promise<CheckResult<unknown>>;
}

/**
 * What a class with described fields, or a kind, does for whoever resolves it. It is reached
 * through {@link description} and never imported: a program that describes no class contains
 * nothing of how that is done.
 */
export interface Description {
  /** The JSON Schema for the wire. */
  schema(): JSONSchema;
  /** The JSON form of a value, as `encodeInstance` makes it. */
  encode(value: unknown): unknown;
  /**
   * The value of its validated JSON form, as `revive` makes it; what is wrong is added to `errors`.
   */
  decode(value: unknown, errors: ValidationIssue[], compile: CompileBranch): unknown;
}

/**
 * Where a {@link Description} is found: on what a kind returns, and in the metadata of a class as a
 * function of the class. Registered, so that two copies of this package understand each other's
 * classes.
 */
export const description: unique symbol = Symbol.for("tenon.jsonschema.description");

/**
 * What decorators and `Model` know of a class, by symbol; what its base class says lies on the
 * prototype.
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
