import { brandErrors, isBranded } from "@tenon/base";

/** The meaning of each {@link AuthErrorCode}. */
export const authErrors = {
  NEEDS_USER: "the user has to authorize the client",
  SCOPE_DENIED: "the authorization server did not grant the scopes that the operation requires",
  USER_DENIED: "the user or the authorization server denied the authorization",
  CALLBACK_TIMEOUT: "the authorization response did not arrive in time",
  RESOURCE_MISMATCH: "the metadata of the protected resource describes another resource",
  NO_AUTHORIZATION_SERVER: "no authorization server could be found for the MCP server",
  METADATA_INVALID: "a metadata document is not valid",
  ISSUER_MISMATCH: "an authorization server names another issuer than the expected one",
  ISSUER_CHANGED: "the MCP server names an authorization server for which the client has no credentials",
  PKCE_UNSUPPORTED: "the authorization server does not declare support for PKCE with S256",
  INSECURE_URL: "a URL from a server is not allowed",
  ADDRESS_REFUSED: "a URL from a server has an address that clients must not connect to",
  REGISTRATION_UNAVAILABLE: "the client has no way to register with the authorization server",
  REGISTRATION_REJECTED: "the authorization server rejected the registration of the client",
  CLIENT_REJECTED: "the authorization server rejected the credentials of the client",
  RESPONSE_INVALID: "an authorization response is not valid",
  TOKEN_INVALID: "a token response is not valid",
  DOWNGRADE: "the authorization server issued a token without the binding that was requested",
  TOKEN_REJECTED: "the MCP server rejects tokens that were issued a moment ago",
  GRANT_EXPIRED: "the grant has expired or was revoked",
  AUTH_TEMPORARY: "a server cannot be reached or does not work at the moment",
  AUTH_STORE_FAILED: "the store of tokens failed",
  LIMIT: "a limit was exceeded",
} as const;

/** The codes of {@link AuthError}. */
export type AuthErrorCode = keyof typeof authErrors;

/** Details of an {@link AuthError}. */
export interface AuthErrorOptions {
  /** The MCP server, as the user wrote it but without its query. Default: `""`. */
  readonly server?: string | undefined;
  /** The issuer of the authorization server. */
  readonly issuer?: string | undefined;
  /**
   * The HTTP status of the response that caused the error. Default: 401 for the codes that a login
   * can resolve.
   */
  readonly status?: number | undefined;
  /** When the operation may be tried again, in milliseconds from now. */
  readonly retryAfterMs?: number | undefined;
  /** The scopes that the operation requires. */
  readonly required?: readonly string[] | undefined;
  /** The scopes that were granted. */
  readonly granted?: readonly string[] | undefined;
  /** The error that caused this error. It must not contain secrets. */
  readonly cause?: unknown;
}

const brand = Symbol.for("@tenon/auth/AuthError");

/** The codes that a login resolves. Hosts recognize them by the status 401. */
const byLogin: ReadonlySet<AuthErrorCode> = new Set([
  "NEEDS_USER",
  "USER_DENIED",
  "CALLBACK_TIMEOUT",
  "GRANT_EXPIRED",
  "TOKEN_REJECTED",
]);

/**
 * A failure of authorization. Recognize it by `code`. No text in it contains a token, a code, a
 * verifier or a full URL.
 */
export class AuthError extends Error {
  static {
    brandErrors(this.prototype, "AuthError", brand);
  }

  // Declared only, because every bundle would have them twice.
  declare readonly code: AuthErrorCode;
  /** The HTTP status of the failure. 401 if a login can resolve it, 403 for `SCOPE_DENIED`. */
  declare readonly status: number | undefined;
  /** Whether the same operation may succeed later without a login or a change of configuration. */
  declare readonly retryable: boolean;
  /** The MCP server, without a query. */
  declare readonly server: string;
  /** The issuer of the authorization server, if known. */
  declare readonly issuer: string | undefined;
  /** When the operation may be tried again, in milliseconds from the time of the error. */
  declare readonly retryAfterMs: number | undefined;
  /** The scopes that the operation requires, for `SCOPE_DENIED` and `NEEDS_USER`. */
  declare readonly required: readonly string[] | undefined;
  /** The scopes that were granted, for `SCOPE_DENIED`. */
  declare readonly granted: readonly string[] | undefined;

  /** A failure with its code. @param options - The server, the issuer and the cause. */
  constructor(code: AuthErrorCode, message: string, options: AuthErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.status = options.status ?? (byLogin.has(code) ? 401 : code === "SCOPE_DENIED" ? 403 : undefined);
    this.retryable = code === "AUTH_TEMPORARY" || code === "AUTH_STORE_FAILED";
    this.server = options.server ?? "";
    this.issuer = options.issuer;
    this.retryAfterMs = options.retryAfterMs;
    this.required = options.required;
    this.granted = options.granted;
  }
}

/**
 * Returns whether `value` is an {@link AuthError}, including one of another copy of this package,
 * optionally with this code.
 */
export function isAuthError(value: unknown, code?: AuthErrorCode): value is AuthError {
  return isBranded(value, brand, code);
}
