import { McpError } from "../../base/error.ts";

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

/** Both hints, with defaults: 0 ms and `private`. @source R-586 */
export interface FullCacheHints {
  readonly ttlMs: number;
  readonly cacheScope: "public" | "private";
}

/** The hints of one method. */
export function hintsFor(hints: ServerCacheHints, method: string): FullCacheHints {
  const own: CacheHints = (hints.methods as { [method: string]: CacheHints | undefined })?.[method] ?? {};
  return {
    ttlMs: own.ttlMs ?? hints.ttlMs ?? 0,
    cacheScope: own.cacheScope ?? hints.cacheScope ?? "private",
  };
}

/** Checks hints where they are written. @throws `McpError` `INVALID_DEFINITION`. */
export function checkHints(hints: CacheHints | undefined, where: string): void {
  const { ttlMs = 0, cacheScope = "private" } = hints ?? {};
  if (!Number.isSafeInteger(ttlMs) || ttlMs < 0 || (cacheScope !== "public" && cacheScope !== "private")) {
    throw new McpError(
      "INVALID_DEFINITION",
      `The caching hints of ${where} need ttlMs, an integer of 0 or more, and cacheScope "public" or "private".`,
    );
  }
}
