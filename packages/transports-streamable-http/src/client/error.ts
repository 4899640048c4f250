import { brandErrors, isBranded } from "@tenon/base";
import type { Delivered } from "@tenon/http/client";

const brand = Symbol.for("@tenon/transports-streamable-http/SessionLostError");

/**
 * The session has expired on the server (404). A new session has been opened, or could not be (see
 * `cause`). The transport sends requests again that were refused with this status, and repeatable
 * ones. For other requests, `delivered` shows whether the caller may repeat them.
 */
export class SessionLostError extends Error {
  static {
    brandErrors(this.prototype, "SessionLostError", brand);
  }

  readonly code = "SESSION_LOST" as const;
  /**
   * `no`: the request itself got 404, so it did not run. `maybe`: its response had started, and the
   * rest was lost.
   */
  readonly delivered: Delivered;

  /**
   * A failure of one request.
   *
   * @param method - Of the request.
   * @param options - `cause`: why no new session could be opened.
   */
  constructor(method: string, delivered: Delivered, options?: { readonly cause?: unknown }) {
    const outcome =
      options?.cause === undefined ? "a new session has been opened" : "no new session could be opened";
    super(
      `The session has expired on the server, and ${outcome}; ${method} was not sent again.`,
      options?.cause === undefined ? undefined : { cause: options.cause },
    );
    this.delivered = delivered;
  }
}

/** True for any copy of {@link SessionLostError}. */
export function isSessionLostError(value: unknown): value is SessionLostError {
  return isBranded(value, brand);
}
