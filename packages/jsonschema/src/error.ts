import type { ValidationIssue } from "./validator.ts";
import { onOneLine } from "./value/one-line.ts";

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
const cutMark: unique symbol = Symbol.for("tenon.jsonschema.cut");
const validationErrorBrand: unique symbol = Symbol.for("tenon.jsonschema.ValidationError");

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
 * Thrown by `parse` for an instance that does not conform. The message shows the first errors,
 * never the instance.
 */
export class ValidationError extends Error {
  override readonly name: string = "ValidationError";
  readonly code = "invalid-instance";
  readonly errors: readonly ValidationIssue[];

  constructor(errors: readonly ValidationIssue[]) {
    const shown = errors
      .slice(0, 3)
      .map((e) => (e.instanceLocation && `${e.instanceLocation}: `) + e.message);
    const more = errors.length > 3 ? `; and ${errors.length - 3} more` : "";
    super(onOneLine(`the instance does not conform to the schema: ${shown.join("; ")}${more}`));
    this.errors = errors;
    Object.defineProperty(this, validationErrorBrand, { value: true });
  }
}

/** Marks a report that ends at its maximum number of errors. */
export function markCut(errors: readonly ValidationIssue[]): void {
  Object.defineProperty(errors, cutMark, { value: true });
}

/** Returns whether a report ends at its maximum number of errors, so that there may be more. */
export function isCut(errors: readonly ValidationIssue[]): boolean {
  return cutMark in errors;
}

/**
 * Returns whether `value` is a {@link SchemaError}, including one created by another copy of this
 * package.
 */
export function isSchemaError(value: unknown): value is SchemaError {
  return value instanceof Error && schemaErrorBrand in value;
}

/**
 * Returns whether `value` is a {@link ValidationError}, including one created by another copy of
 * this package.
 */
export function isValidationError(value: unknown): value is ValidationError {
  return value instanceof Error && validationErrorBrand in value;
}
