import type { LimitRules } from "@tenon/base";
import type { AuthProvider, FetchLike, LoginOptions } from "@tenon/http/client";

import type { AddressGuard } from "./discover/url.ts";
import type { AuthEvent, AuthStatus } from "./events.ts";
import type { BegunLogin, Grant } from "./grants/grant.ts";
import type { ProofOfPossession } from "./proof/proof.ts";
import type { ClientRegistration } from "./register/client-registration.ts";
import type { AuthClock, AuthLimits } from "./setting.ts";
import type { AuthStore } from "./tokens/store.ts";

/** Options of `createOAuth`. */
export interface OAuthOptions {
  /** The URL of the MCP server, as the user wrote it. */
  readonly server: string | URL;
  /** The grant that obtains tokens, such as `authorizationCode(…)`. */
  readonly grant: Grant;
  /**
   * The identity of the client for authorization servers. Default: it registers itself under the
   * name "MCP client".
   */
  readonly client?: ClientRegistration | undefined;
  /**
   * Keeps tokens and registrations. Default: `memoryStore()`, which forgets them when the process
   * ends.
   */
  readonly store?: AuthStore | undefined;
  /**
   * The host's name for the user, in programs with more than one: users never share tokens.
   * Default: `""`.
   */
  readonly account?: string | undefined;
  /**
   * The scopes to request, instead of the scopes that servers name. Default: the scopes of the
   * challenge, or of the resource's metadata.
   */
  readonly scopes?: readonly string[] | undefined;
  /**
   * Whether `offline_access` is requested where the authorization server supports it. Default:
   * `true`.
   */
  readonly offlineAccess?: boolean | undefined;
  /**
   * `prompt` of the authorization request. Default: `"consent"` if OpenID Connect requires it for
   * `offline_access`.
   */
  readonly prompt?: string | undefined;
  /**
   * The parameter `resource`. `"omit"` is for authorization servers that reject it; their tokens
   * may be valid for other servers too. Default: by the resource's metadata.
   */
  readonly resource?: string | undefined;
  /** The issuer of the authorization server, for MCP servers that do not name it. */
  readonly issuer?: string | undefined;
  /**
   * Chooses among several authorization servers. By default the server with a registration is used,
   * then the first with valid metadata.
   */
  selectIssuer?(issuers: readonly string[]): string;
  /** Binds tokens to a key: `dpop()`. By default tokens are not bound. */
  readonly proof?: ProofOfPossession | undefined;
  /**
   * When the user is involved. `"onLogin"`: a request without authorization fails with
   * `NEEDS_USER`, and `login()` starts a login. `true`: the request itself starts a login and waits
   * for it. Default: `"onLogin"`.
   */
  readonly interactive?: true | "onLogin" | undefined;
  /**
   * Whether an issuer without a path may differ by one terminating slash. `"strict"` rejects that.
   * Default: `"lenient"`, with a warning.
   */
  readonly strictness?: "strict" | "lenient" | undefined;
  /**
   * Whether a server without any metadata is treated as a server of 2025-03-26, which is its own
   * authorization server. Default: `true`.
   */
  readonly legacyFallback?: boolean | undefined;
  /**
   * Whether scopes are repeated when tokens are refreshed, for servers that otherwise drop them.
   * Default: `false`.
   */
  readonly refreshScopes?: boolean | undefined;
  /** Limits the time of single steps. Each limit has its own default. */
  readonly limits?: AuthLimits | undefined;
  /** Sends the requests to authorization servers. Default: the platform's HTTP client. */
  readonly fetch?: FetchLike | undefined;
  /**
   * Decides which addresses may be connected to. By default private addresses are refused, unless
   * the MCP server has one.
   */
  readonly guard?: AddressGuard | undefined;
  /** Sets timers and determines when tokens expire. Default: the clock of the platform. */
  readonly clock?: AuthClock | undefined;
  /** Returns a number from 0 to 1, for delays. Default: `Math.random`. */
  readonly random?: (() => number) | undefined;
  /** Called with every event. Its errors are ignored. */
  onEvent?(event: AuthEvent): void;
}

/** The names of the options that `oauthFor` has, too. */
export const sharedOptionNames = [
  "grant client store account offlineAccess prompt selectIssuer proof interactive",
  "strictness legacyFallback refreshScopes limits fetch:function guard clock random onEvent",
] as const;

/** The rules of {@link AuthLimits}. */
export const authLimits: LimitRules<AuthLimits> = {
  discoveryTimeoutMs: [5000, 1],
  tokenTimeoutMs: [15_000, 1],
  flowTimeoutMs: [600_000, 1],
};

/** Options of `OAuthProvider.login` and `OAuthProvider.begin`. */
export interface OAuthLoginOptions extends LoginOptions {
  /** Scopes to request in addition. */
  readonly scopes?: readonly string[] | undefined;
}

/** Options of `OAuthProvider.logout`. */
export interface LogoutOptions {
  /**
   * Whether the tokens are revoked at the authorization server, as far as it can be reached. Some
   * authorization servers, such as Keycloak, then end the logins of the user at other MCP servers
   * too, if they have the same client. Default: `true`.
   */
  readonly revoke?: boolean | undefined;
  /** Whether the registration of the client is deleted as well. Default: `false`. */
  readonly forget?: boolean | undefined;
}

/**
 * The authorization of a client at one MCP server, for one account. Pass it to the transport as
 * `auth`.
 */
export interface OAuthProvider extends AuthProvider, AsyncDisposable {
  /** The current status. It never contains a token. */
  readonly status: AuthStatus;
  /**
   * Logs the user in, with the scopes that requests have turned out to need. A running login is
   * joined. Tokens that arrive after the end of a login, or that are refused, are revoked, with the
   * effect that {@link LogoutOptions.revoke} describes; but not if this provider has other tokens
   * of the same client. @throws `AuthError`.
   */
  login(options?: OAuthLoginOptions): Promise<void>;
  /**
   * Starts a login whose response is passed to `finish()`, in this process or in another process
   * with the same store. @throws `AuthError`.
   */
  begin(options?: OAuthLoginOptions): Promise<BegunLogin>;
  /**
   * Finishes a login. A response that belongs to no login of this server and account changes
   * nothing. @param callback - The URL to which the browser was redirected, or its query. @throws
   * `AuthError`.
   */
  finish(callback: URL | URLSearchParams): Promise<void>;
  /**
   * Deletes the tokens, and does not use them again even if that fails.
   *
   * @throws `AuthError` `AUTH_STORE_FAILED`; the error of the platform if the code of a logout,
   *   which is loaded when it is needed, cannot be loaded. Call it again then.
   */
  logout(options?: LogoutOptions): Promise<void>;
  /**
   * Registers a listener that is called whenever other tokens are in use, and after a logout.
   * Returns a function that removes the listener.
   */
  changed(listener: () => void): () => void;
  /**
   * Ends running logins. Waits for a token request that is in flight, so that its tokens are not
   * lost. Stored tokens are kept.
   */
  close(): Promise<void>;
}
