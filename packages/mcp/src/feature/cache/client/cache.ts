import { isRecord, type Clock, type LimitRules, type ResolvedLimits } from "@tenon/base";
import type { MethodInfo } from "@tenon/protocol";

/** Options of the response cache of a client. */
export interface CacheOptions {
  /**
   * Maximum number of cached results per session. A new result evicts the least recently used
   * result. Default: `512`.
   */
  readonly maxEntries?: number | undefined;
  /**
   * Maximum size of all cached results per session, in characters of JSON. A longer result is not
   * cached. Default: `33_554_432` (32 Mi).
   */
  readonly maxLength?: number | undefined;
  /**
   * Maximum time for which a result is cached, in milliseconds, even if its server allows more.
   * Default: `86_400_000` (1 day).
   */
  readonly maxTtlMs?: number | undefined;
}

/** The rules of {@link CacheOptions}. */
export const cacheLimits: LimitRules<CacheOptions> = {
  maxEntries: [512, 0],
  maxLength: [33_554_432, 0],
  maxTtlMs: [86_400_000, 0],
};

/** A request whose result may be cached. */
export interface CacheableCall {
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
  /** The caller: private results are never returned to another caller. @source R-581 */
  readonly context: string;
}

/**
 * A request in flight. Its result is cached only if it has not become stale in the meantime and no
 * later request has completed.
 */
interface Ticket {
  readonly call: CacheableCall;
  readonly generation: number;
  /** Its place among the requests. */
  readonly sequence: number;
}

interface Entry {
  readonly method: string;
  readonly uri: string | undefined;
  /** The ID of the cached request. */
  readonly sequence: number;
  readonly expiresMs: number;
  /** The result as JSON: it cannot be changed, and its size is known. */
  readonly json: string;
}

/**
 * The cached results of one session. A result is cached for its `ttlMs`; a result without `ttlMs`
 * is not cached.
 *
 * @source R-577…R-587
 */
export class ResponseCache {
  readonly #clock: Clock;
  readonly #maxEntries: number;
  readonly #maxLength: number;
  readonly #maxTtlMs: number;
  #length = 0;
  readonly #entries = new Map<string, Entry>();
  /** By method: the number of times that its results became stale. */
  readonly #generations = new Map<string, number>();
  #lastSequence = 0;

  constructor({ maxEntries, maxLength, maxTtlMs }: ResolvedLimits<CacheOptions>, clock: Clock) {
    this.#clock = clock;
    this.#maxEntries = maxEntries;
    this.#maxLength = maxLength;
    this.#maxTtlMs = maxTtlMs;
  }

  /** The number of cached results, fresh or stale. */
  get size(): number {
    return this.#entries.size;
  }

  /** Returns a copy of the fresh result for a call, if there is one. */
  get(call: CacheableCall): object | undefined {
    for (const key of [keyOf(call, call.context), keyOf(call, undefined)]) {
      const entry = this.#take(key);
      if (entry !== undefined && this.#clock.now() < entry.expiresMs) {
        // Moved to the end: the least recently used entry is evicted first.
        this.#put(key, entry);
        return JSON.parse(entry.json) as object;
      }
    }
    return undefined;
  }

  /** Call before asking the server. */
  begin(call: CacheableCall): Ticket {
    return { call, generation: this.#generation(call.method), sequence: ++this.#lastSequence };
  }

  /**
   * Stores a result if it has a `ttlMs`, nothing has made it stale since `begin`, and no later
   * request has completed.
   */
  store({ call, generation, sequence }: Ticket, result: object): void {
    const { ttlMs, cacheScope, resultType } = result as {
      ttlMs?: unknown;
      cacheScope?: unknown;
      resultType?: unknown;
    };
    const isComplete = resultType === undefined || resultType === "complete";
    const isFresh = typeof ttlMs === "number" && ttlMs > 0;
    if (!isComplete || !isFresh || generation !== this.#generation(call.method)) {
      return;
    }
    const { uri } = call.params;
    const own = keyOf(call, call.context);
    const shared = keyOf(call, undefined);
    if ([own, shared].some((key) => (this.#entries.get(key)?.sequence ?? 0) > sequence)) {
      return;
    }
    // Whichever of the two there was, it is older, and the own one would be found first.
    const key = cacheScope === "public" ? shared : own;
    this.#take(own);
    this.#take(key);
    const json = JSON.stringify(result);
    if (json.length > this.#maxLength) {
      return;
    }
    this.#put(key, {
      method: call.method,
      uri: typeof uri === "string" ? uri : undefined,
      sequence,
      expiresMs: this.#clock.now() + Math.min(ttlMs, this.#maxTtlMs),
      json,
    });
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size <= this.#maxEntries && this.#length <= this.#maxLength) {
        break;
      }
      this.#take(oldest);
    }
  }

  #put(key: string, entry: Entry): void {
    this.#entries.set(key, entry);
    this.#length += entry.json.length;
  }

  #take(key: string): Entry | undefined {
    const entry = this.#entries.get(key);
    if (entry !== undefined) {
      this.#entries.delete(key);
      this.#length -= entry.json.length;
    }
    return entry;
  }

  /**
   * Discards the results that a notification with these params makes stale: all pages of a list, or
   * a resource with what lies above and below it.
   *
   * @source T-82, R-524, R-582
   */
  notified({ invalidates = [] }: MethodInfo, { uri }: Readonly<Record<string, unknown>>): void {
    for (const method of invalidates) {
      this.forget(method, typeof uri === "string" ? uri : undefined);
    }
  }

  /** Discards the results of a method, including results of requests in flight. */
  forget(method: string, uri?: string): void {
    this.#generations.set(method, this.#generation(method) + 1);
    for (const [key, entry] of this.#entries) {
      if (entry.method === method && isRelated(entry.uri, uri)) {
        this.#take(key);
      }
    }
  }

  #generation(method: string): number {
    return this.#generations.get(method) ?? 0;
  }
}

function isRelated(kept: string | undefined, changed: string | undefined): boolean {
  return kept === undefined || changed === undefined || kept.startsWith(changed) || changed.startsWith(kept);
}

/** @param context - `undefined` for results that are the same for every caller. */
function keyOf({ method, params }: CacheableCall, context: string | undefined): string {
  const entries = Object.entries(params)
    .filter(([name, value]) => name !== "_meta" && value !== undefined)
    .toSorted(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify([context ?? null, method, entries]);
}

/**
 * Whether the result for these params may be cached: they are not a retry of an
 * `InputRequiredResult`, and contain no `_meta` that may change the result.
 *
 * @source R-578
 */
export function isReusable(params: Readonly<Record<string, unknown>>): boolean {
  const { _meta, inputResponses, requestState } = params;
  const hasMeta = isRecord(_meta) && Object.keys(_meta).length > 0;
  return !hasMeta && inputResponses === undefined && requestState === undefined;
}
