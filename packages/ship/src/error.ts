import { brandErrors, isBranded } from "@tenon/base";

/** The meaning of each {@link ShipErrorCode}. */
export const shipErrors = {
  UNKNOWN_HOST: "no host has this name",
  UNSUPPORTED: "the host or the format does not support the request",
  INVALID_NAME: "the name of a server has characters that some hosts reject",
  MALFORMED: "a file cannot be read, so that it is not changed either",
  NOT_EDITABLE: "a file is valid, but is written in a way that cannot be edited safely",
  CHANGED: "a file was changed by another program between reading and writing",
  LIMIT: "something exceeds a limit",
} as const;

/** The codes of {@link ShipError}. */
export type ShipErrorCode = keyof typeof shipErrors;

const brand = Symbol.for("@tenon/ship/ShipError");

/** An error of this package. Recognize it by `code`. */
export class ShipError extends Error {
  static {
    brandErrors(this.prototype, "ShipError", brand);
  }

  readonly code: ShipErrorCode;
  /** Advice for the user. */
  readonly hint: string | undefined;

  /** An error with its code. @param options - `cause`: the error that led to this one. */
  constructor(
    code: ShipErrorCode,
    message: string,
    options: { readonly hint?: string | undefined; readonly cause?: unknown } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.hint = options.hint;
  }
}

/** True for any copy of {@link ShipError}, optionally with this code. */
export function isShipError(value: unknown, code?: ShipErrorCode): value is ShipError {
  return isBranded(value, brand, code);
}
