/** Reasons why a schema cannot be compiled. */
export type SchemaErrorCode =
  /** a value that is not a schema */
  | "invalid-schema"
  /** a keyword has a value that it cannot have */
  | "invalid-keyword"
  /** a regular expression that does not parse */
  | "invalid-pattern"
  /** a regular expression that takes too long on some strings */
  | "unsupported-pattern"
  /** the dialect that `$schema` names is not known */
  | "unsupported-dialect"
  /** a `$ref` leads to nothing */
  | "unresolved-reference"
  /** two schemas have the same `$id` or anchor */
  | "duplicate-identifier"
  /** a `$ref` leads back to itself without reading further into the value */
  | "infinite-recursion"
  /** a class or a `Model` cannot be described by a schema */
  | "invalid-class"
  /** a `default` does not match its own schema */
  | "invalid-default"
  /** the schema exceeds a limit */
  | "limit-exceeded";

const schemaErrorBrand: unique symbol = Symbol.for("tenon.jsonschema.SchemaError");

/**
 * A schema that is malformed, unresolvable or beyond a limit. The network is never the reason: it
 * is never used.
 */
export class SchemaError extends Error {
  override readonly name: string = "SchemaError";
  readonly code: SchemaErrorCode;
  /**
   * The location in the schema: the URI of the resource (empty if it has none) with a JSON Pointer
   * in the fragment.
   */
  readonly location: string;
  /** The document that could not be found, for `unresolved-reference`. */
  readonly uri: string | undefined;

  constructor(
    code: SchemaErrorCode,
    location: string,
    message: string,
    options?: { cause?: unknown; uri?: string | undefined },
  ) {
    super(`${message} (at ${location})`, options);
    this.code = code;
    this.location = location;
    this.uri = options?.uri;
    Object.defineProperty(this, schemaErrorBrand, { value: true });
  }
}

/**
 * Returns whether `value` is a {@link SchemaError}, including one created by another copy of this
 * package.
 */
export function isSchemaError(value: unknown): value is SchemaError {
  return value instanceof Error && schemaErrorBrand in value;
}
