import type { ValidationIssue } from "./validator.ts";
import { onOneLine } from "./value/one-line.ts";

const cutMark: unique symbol = Symbol.for("tenon.jsonschema.cut");
const validationErrorBrand: unique symbol = Symbol.for("tenon.jsonschema.ValidationError");

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
 * Returns whether `value` is a {@link ValidationError}, including one created by another copy of
 * this package.
 */
export function isValidationError(value: unknown): value is ValidationError {
  return value instanceof Error && validationErrorBrand in value;
}
