/**
 * How long, and by whom, a result may be reused (2026-07-28). Older revisions are not told.
 *
 * @source R-575
 */
export interface CacheHints {
  /** Milliseconds for which the result counts as fresh, an integer of 0 or more. */
  readonly ttlMs?: number | undefined;
  /**
   * `public`: the result is the same for everyone. `private`: only for the authorization it was
   * made for.
   */
  readonly cacheScope?: "public" | "private" | undefined;
}

/** The methods whose results carry {@link CacheHints}. */
export type CacheableMethod =
  | "server/discover"
  | "tools/list"
  | "prompts/list"
  | "resources/list"
  | "resources/templates/list"
  | "resources/read";

/**
 * A server's caching hints, for single methods and for all others. Hints in a handler's result or a
 * definition have priority.
 */
export interface ServerCacheHints extends CacheHints {
  readonly methods?: { readonly [M in CacheableMethod]?: CacheHints | undefined } | undefined;
}
