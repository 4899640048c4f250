import { brandErrors, isBranded } from "@tenon/base";

/** The meaning of each {@link StoreErrorCode}. */
export const storeErrors = {
  SESSION_EXISTS: "a session with this ID exists",
  STORE_FULL: "the store has no room for the record or the value",
  STORE_FAILED: "the store could not be reached, did not respond in time, or failed",
  EVENTS_PURGED: "events that a stream must resume with are no longer stored",
  FENCED: "another process writes the events of this session",
  NO_RECEIVER: "no process responded to a message with an address",
  CLOSED: "the store is closed",
} as const;

/** The codes of {@link StoreError}. */
export type StoreErrorCode = keyof typeof storeErrors;

const brand = Symbol.for("@tenon/stores/StoreError");

/** An error of a store, a bus or a lease. Recognize it by `code`. */
export class StoreError extends Error {
  static {
    brandErrors(this.prototype, "StoreError", brand);
  }

  readonly code: StoreErrorCode;

  /** A failure with its code. @param options - `cause` is kept. */
  constructor(code: StoreErrorCode, message: string, options?: { cause?: unknown }) {
    super(message, options?.cause === undefined ? undefined : options);
    this.code = code;
  }
}

/**
 * Returns whether `value` is a {@link StoreError}, including one of another copy of this package,
 * optionally with this code.
 */
export function isStoreError(value: unknown, code?: StoreErrorCode): value is StoreError {
  return isBranded(value, brand, code);
}
