/** Reasons why a schema cannot be compiled. */
export type SchemaErrorCode =
  | "invalid-schema"
  | "invalid-keyword"
  | "invalid-pattern"
  | "unsupported-pattern"
  | "unsupported-dialect"
  | "unresolved-reference"
  | "duplicate-identifier"
  | "infinite-recursion"
  | "invalid-class"
  | "invalid-default"
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
