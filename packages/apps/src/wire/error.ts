import { brandErrors, isBranded } from "@tenon/base";

/** The meaning of each {@link AppErrorCode}. */
export const appErrors = {
  CAPABILITY_MISSING: "the host or the view has not declared a capability that the request requires",
  INVALID_MESSAGE: "a message between host and view is not valid",
  INVALID_VIEW: "a resource is not a view that can be shown",
  REFUSED: "the host did not do what the view asked for",
} as const;

/** The codes of {@link AppError}. */
export type AppErrorCode = keyof typeof appErrors;

const brand = Symbol.for("@tenon/apps/AppError");

/** An error about a view. Recognize it by `code`. */
export class AppError extends Error {
  static {
    brandErrors(this.prototype, "AppError", brand);
  }

  readonly code: AppErrorCode;

  /** A failure with its code. @param options - `cause` is kept. */
  constructor(code: AppErrorCode, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.code = code;
  }
}

/** True for any copy of {@link AppError}, optionally with this code. */
export function isAppError(value: unknown, code?: AppErrorCode): value is AppError {
  return isBranded(value, brand, code);
}
