import { McpError } from "../../base/error.ts";
import type { CacheHints, ServerCacheHints } from "./define.ts";

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
