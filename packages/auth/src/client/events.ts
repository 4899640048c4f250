import type { AuthError } from "../shared/error.ts";
import type { SafeAuthorizationUrl } from "./discover/url.ts";

/** The state of an `OAuthProvider`. */
export type AuthState =
  /** No credentials, and no server has required any. */
  | "anonymous"
  /** The server requires authorization; `login()` starts it. */
  | "needs-user"
  /** A login is running. */
  | "authorizing"
  | "authorized"
  /**
   * The last attempt failed in a way that neither waiting nor a login resolves; `error` holds the
   * reason.
   */
  | "refused";

/** An event of an `OAuthProvider`. It never contains a token. */
export interface AuthStatus {
  readonly state: AuthState;
  /** The issuer of the authorization server, once it is known. */
  readonly issuer?: string | undefined;
  /** The granted scopes. */
  readonly scopes?: readonly string[] | undefined;
  /** When the access token expires, in milliseconds since 1970, if the server declared it. */
  readonly expiresAt?: number | undefined;
  /** Increases with every new set of tokens. */
  readonly generation: number;
  /** The last failure, until the next success. */
  readonly error?: AuthError | undefined;
}

/** An event of an `OAuthProvider`. */
export type AuthEvent =
  /**
   * The user has to visit a page, and no browser was opened. Show the URL to the user who logs in,
   * and do not log it.
   */
  | { readonly type: "visit"; readonly url: SafeAuthorizationUrl }
  /** The status has changed. */
  | { readonly type: "status"; readonly status: AuthStatus }
  /** A departure from the specifications was tolerated, or something needs attention. */
  | { readonly type: "warning"; readonly message: string };
