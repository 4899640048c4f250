import { brandErrors, isBranded } from "@tenon/base";
import type { RequestDescription } from "@tenon/http/server";

/**
 * An access token that is genuine and not revoked. The guard checks the audience, the expiry, the
 * binding and the scopes.
 */
export interface VerifiedToken {
  /** The issuer, exactly as it names itself. */
  readonly issuer: string;
  /** The user at the issuer, or the client itself if it does not act for a user. */
  readonly subject: string;
  /** The OAuth client that got the token. */
  readonly clientId?: string | undefined;
  /** The servers that the token was issued for. */
  readonly audience: string | readonly string[];
  readonly scopes: readonly string[];
  /**
   * When the token expires, in milliseconds since 1970. Required, unless the guard has
   * `limits.maxTokenAgeMs`.
   */
  readonly expiresAt?: number | undefined;
  /** When the token was issued, in milliseconds since 1970. */
  readonly issuedAt?: number | undefined;
  /** The `cnf` claim: the key that the token is bound to. @source RFC 7800 */
  readonly confirmation?: { readonly jkt?: unknown } | undefined;
  /**
   * Whether {@link Verify} has checked a binding other than `jkt`, such as the binding to a TLS
   * certificate. Default: `false`, which rejects such a token.
   */
  readonly isBindingChecked?: boolean | undefined;
  /** The claims that handlers can read as `ctx.auth.claims`. */
  readonly claims?: Readonly<Record<string, unknown>> | undefined;
  /**
   * How long the guard may remember the token, in milliseconds; 0 if it must be verified each
   * time. Default: `limits.ttlMs` of the guard.
   */
  readonly ttlMs?: number | undefined;
}

/** A token that is refused with 401. */
export interface RejectedToken {
  /** Only `"expired"` is sent to the client. For every other reason the response is the same. */
  readonly rejected: "invalid" | "expired";
  /**
   * Why, for `onRejected` of the guard. Clients never get it. `jwt` gives the code of `jose` and
   * the claim: `ERR_JWT_CLAIM_VALIDATION_FAILED iss`. It must not contain the token.
   */
  readonly reason?: string | undefined;
  /** How long the guard may remember that, in milliseconds. Default: 0. */
  readonly ttlMs?: number | undefined;
}

/**
 * Verifies an access token: `jwt` of `@tenon/auth/jwt`, `introspection`, or a function of your own.
 *
 * @param signal - Aborts after `limits.verifyTimeoutMs` of the guard, when the request has got 503.
 *   Pass it to whatever the verification waits for: a verification that never settles holds one of
 *   `limits.maxInFlight` places indefinitely.
 * @throws {@link VerifierUnavailable} while tokens cannot be verified: the request gets 503.
 *   Anything else that is thrown refuses the request with 500.
 */
export type Verify = (
  token: string,
  request: RequestDescription,
  signal: AbortSignal,
) => VerifiedToken | RejectedToken | Promise<VerifiedToken | RejectedToken>;

const brand = Symbol.for("@tenon/auth/VerifierUnavailable");

/**
 * Tokens cannot be verified at the moment, because an authorization server does not respond.
 * Clients get 503, which keeps their tokens.
 */
export class VerifierUnavailable extends Error {
  static {
    brandErrors(this.prototype, "VerifierUnavailable", brand);
  }

  /**
   * When tokens can be verified again, in milliseconds, if that is known: sent as `Retry-After`.
   */
  readonly retryAfterMs: number | undefined;

  /** A failure to verify any token. @param options - `cause` is kept. */
  constructor(
    message: string,
    options?: { readonly cause?: unknown; readonly retryAfterMs?: number | undefined },
  ) {
    super(message, options?.cause === undefined ? undefined : { cause: options.cause });
    this.retryAfterMs = options?.retryAfterMs;
  }
}

/** True for any copy of {@link VerifierUnavailable}. */
export function isVerifierUnavailable(value: unknown): value is VerifierUnavailable {
  return isBranded(value, brand);
}
