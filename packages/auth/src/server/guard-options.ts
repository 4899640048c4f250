import type { ProofCheck } from "./proof-check.ts";
import type { ScopePolicy } from "./scope-policy.ts";
import type { RejectedToken, VerifiedToken, Verify } from "./verify.ts";

/** Options of `createGuard`. */
export interface ResourceGuardOptions {
  /**
   * The URL of the endpoint, as clients know it: an https URL, or http on loopback. Tokens must
   * be issued for it, and proofs made for it.
   */
  readonly resource: string;
  /** Verifies tokens: `jwt` of `@tenon/auth/jwt`, `introspection`, or a function of your own. */
  readonly verify: Verify;
  /**
   * The audience that tokens must have, one of these: for authorization servers that do not know
   * the `resource` parameter. `dangerouslyAny` accepts the tokens of every other server of the
   * issuer, with the reason why that is safe. Default: `resource`.
   *
   * @source R-726
   */
  readonly audience?: string | readonly string[] | { readonly dangerouslyAny: string } | undefined;
  /**
   * The scopes that every request needs. Keep them minimal: clients ask for them at the first
   * login. By default a token needs no scope. @source
   */
  readonly scopes?: readonly string[] | undefined;
  /** Which scopes each operation needs: `scopePolicy`. Default: `scopes` allow everything. */
  readonly policy?: ScopePolicy | undefined;
  /**
   * Accepts tokens that are bound to a key: `dpopProofs()`. By default such tokens are refused.
   */
  readonly dpop?: ProofCheck | undefined;
  /**
   * Names the user. Sessions are bound to it. Default: issuer, subject and client, so that a user
   * has a principal for each client.
   */
  readonly principal?: ((token: VerifiedToken) => string) | undefined;
  /** Whether `tokenOf(ctx.auth)` returns the token, for a token exchange. Default: `false`. */
  readonly keepToken?: boolean | undefined;
  /**
   * The URL of the metadata of the resource. Default: the well-known URL of `resource`, which
   * `protectedResource` serves.
   */
  readonly metadataUrl?: string | undefined;
  /** Bounds. */
  readonly limits?: GuardLimits | undefined;
  /**
   * Called with the failures that refuse a request with 503, and with what `onRejected` throws.
   * Called once for each mistake of `verify` that would refuse every token: no `expiresAt`, or a
   * time in seconds. Default: `console.error`; `() => {}` silences it.
   */
  readonly onError?: ((error: unknown) => void) | undefined;
  /**
   * Called with each request that gets 401 because of its token. `reason` is that of `verify`, or
   * one of the guard: `audience`, `binding`, `expired`, `no expiry` or `an expiry in seconds`.
   * Clients never get it. By default nothing is called.
   */
  readonly onRejected?: ((token: RejectedToken) => void) | undefined;
}

/** Bounds of a guard. */
export interface GuardLimits {
  /**
   * Maximum length of an access token in characters. Requests with longer tokens get 400.
   * Default: `16_384`.
   */
  readonly maxTokenLength?: number | undefined;
  /**
   * How long a verified token is remembered, in milliseconds. `0` disables the cache. A
   * revoked token stays accepted for this time. Default: `60_000`.
   */
  readonly ttlMs?: number | undefined;
  /**
   * Maximum number of tokens that are remembered. The oldest one is forgotten. Default: `1_000`.
   */
  readonly maxEntries?: number | undefined;
  /**
   * Maximum number of tokens that are verified at a time, of which the tokens from one address
   * take half at most. Further requests get 503, except requests whose token is
   * remembered: strangers with many tokens cannot keep such users away. A verification counts
   * until `verify` has settled, even beyond `verifyTimeoutMs`. Default: `256`.
   */
  readonly maxInFlight?: number | undefined;
  /**
   * How long a verification may take, in milliseconds. Then the request gets 503, and the signal
   * of `verify` aborts. Default: `10_000`.
   */
  readonly verifyTimeoutMs?: number | undefined;
  /**
   * How much the clocks of the issuer and of this server may differ, in milliseconds. Default:
   * `30_000`.
   */
  readonly clockToleranceMs?: number | undefined;
  /**
   * Maximum age of a token in milliseconds, by its time of issue. `Infinity`: only `expiresAt`
   * counts, and a token without it is rejected. Default: `Infinity`.
   */
  readonly maxTokenAgeMs?: number | undefined;
}
