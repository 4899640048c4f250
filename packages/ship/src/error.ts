import { brandErrors, isBranded } from "@tenon/base";

import type { Finding } from "./finding.ts";

/** The meaning of each {@link ShipErrorCode}. */
export const shipErrors = {
  UNKNOWN_HOST: "no host has this name",
  UNSUPPORTED: "the host or the format does not support the request",
  INVALID_NAME: "the name of a server has characters that some hosts reject",
  MALFORMED: "a file cannot be read, so that it is not changed either",
  NOT_EDITABLE: "a file cannot be edited safely, or must not be written",
  CHANGED: "a file was changed by another program between reading and writing",
  MISSING_VALUES: "variables or arguments that the server declares have no value, or a wrong value",
  INVALID_PACKAGE: "the `package.json` or a file that it names is missing or not valid",
  NO_BUNDLER: "the bundler is not installed",
  BUNDLE_FAILED: "the program cannot be put into one file",
  SERVER_FAILED: "the server could not be started, listed or called",
  BAD_ARCHIVE: "a bundle is damaged, or could be understood in two ways",
  CARD_UNREADABLE: "a server has no card, or it is not JSON",
  EXISTS: "a file exists, and was not replaced",
  LIMIT: "something exceeds a limit",
} as const;

/** The codes of {@link ShipError}. */
export type ShipErrorCode = keyof typeof shipErrors;

const brand = Symbol.for("@tenon/ship/ShipError");

/** The parts of a {@link ShipError} in addition to its message. */
export interface ShipErrorParts {
  /** Advice for the user. */
  readonly hint?: string | undefined;
  /** All problems, if there are several. They are also in the message. */
  readonly findings?: readonly Finding[] | undefined;
  readonly cause?: unknown;
}

/** An error of this package. Recognize it by `code`. */
export class ShipError extends Error {
  static {
    brandErrors(this.prototype, "ShipError", brand);
  }

  readonly code: ShipErrorCode;
  /** Advice for the user. */
  readonly hint: string | undefined;
  /** All problems, if there are several. */
  readonly findings: readonly Finding[];

  /** An error with its code. */
  constructor(code: ShipErrorCode, message: string, parts: ShipErrorParts = {}) {
    super(message, parts.cause === undefined ? undefined : { cause: parts.cause });
    this.code = code;
    this.hint = parts.hint;
    this.findings = parts.findings ?? [];
  }
}

/** True for any copy of {@link ShipError}, optionally with this code. */
export function isShipError(value: unknown, code?: ShipErrorCode): value is ShipError {
  return isBranded(value, brand, code);
}
