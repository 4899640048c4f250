import { systemClock, type Clock, type LimitRules } from "@tenon/base";
import type { ReadResourceResult } from "@tenon/protocol";

import { checkOptionNames, limitsOf } from "../limits.ts";
import { everybody, link, unlink, type Entry, type Owner } from "./entry.ts";

/** Options of {@link ResourceCache}. */
export interface ResourceCacheOptions {
  /** Limits of the cache. Each limit has its own default. */
  readonly limits?: ResourceCacheLimits | undefined;
  /** The clock. Tests pass a virtual clock. By default the clock of the platform. */
  readonly clock?: Clock | undefined;
}

/** Limits of a {@link ResourceCache}. */
export interface ResourceCacheLimits {
  /**
   * Time after which an entry expires, in milliseconds. A shorter time that the server sets
   * (2026-07-28) takes precedence. With `Infinity` entries do not expire. Default: `300_000` (5
   * minutes).
   *
   * @source S-265
   */
  readonly ttlMs?: number | undefined;
  /**
   * Maximum number of entries. A new entry evicts the least recently used one. With `0` nothing is
   * cached. Default: `1_000`.
   *
   * @source S-270
   */
  readonly maxEntries?: number | undefined;
  /**
   * Maximum size of all entries in bytes, text counted as UTF-16 and binary as base64. A larger
   * result is not cached. Default: `67_108_864` (64 MiB).
   */
  readonly maxBytes?: number | undefined;
}

const limitRules: LimitRules<ResourceCacheLimits> = {
  ttlMs: [300_000, 1],
  maxEntries: [1000, 0],
  maxBytes: [64 * 1024 * 1024, 0],
};

/** The owner of an entry, and its maximum age. */
export interface EntryOptions {
  /**
   * The principal that may read a private entry. By default only callers without a principal may.
   */
  readonly principal?: string | undefined;
}

/**
 * A cache of resources by server, URI and principal. The least recently used entry is evicted
 * first. `deleteServer` visits all entries of the server, and `delete` all principals of the
 * server; the time of all other methods does not depend on the size.
 *
 * @source S-274
 */
export class ResourceCache {
  readonly #ttlMs: number;
  readonly #maxEntries: number;
  readonly #maxBytes: number;
  readonly #clock: Clock;
  /** By server, then owner, then URI: no separator that a name could contain. @source S-266 */
  readonly #servers = new Map<string, Map<Owner, Map<string, Entry>>>();
  /** The ring of all entries: `next` of it is the most recently used, `previous` the least. */
  readonly #ring: Entry;
  #size = 0;
  #bytes = 0;

  /**
   * Makes an empty cache.
   *
   * @param subject - What errors call the limits. Default: `"limits"`.
   * @throws `HostError` `INVALID_OPTION` for options that do not exist or are out of range.
   */
  constructor(options: ResourceCacheOptions = {}, subject?: string) {
    checkOptionNames("new ResourceCache", options, "limits clock", limitRules);
    const { ttlMs, maxEntries, maxBytes } = limitsOf(options.limits, limitRules, subject);
    this.#ttlMs = ttlMs;
    this.#maxEntries = maxEntries;
    this.#maxBytes = maxBytes;
    this.#clock = options.clock ?? systemClock;
    const ring = { uri: "", bytes: 0, expires: 0 } as Entry;
    ring.next = ring;
    ring.previous = ring;
    this.#ring = ring;
  }

  /** How many entries there are, expired ones included. @source S-273 */
  get size(): number {
    return this.#size;
  }

  /** How many bytes they take, roughly. */
  get bytes(): number {
    return this.#bytes;
  }

  /**
   * A result that is good, which becomes the most recently used. An expired entry is a miss, and
   * stays.
   *
   * @source S-267, S-268
   */
  get(server: string, uri: string, { principal }: EntryOptions = {}): ReadResourceResult | undefined {
    const owners = this.#servers.get(server);
    if (owners === undefined) {
      return undefined;
    }
    const entry = owners.get(principal)?.get(uri) ?? owners.get(everybody)?.get(uri);
    if (entry === undefined || this.#clock.now() >= entry.expires) {
      return undefined;
    }
    unlink(entry);
    link(entry, this.#ring);
    return entry.value;
  }

  /**
   * Stores a result as the most recently used, and replaces an older result. The result's own
   * `ttlMs` shortens the time, and 0 stores nothing. A result whose `cacheScope` is `public` is
   * stored for every principal.
   *
   * @source S-269, R-575
   */
  set(server: string, uri: string, value: ReadResourceResult, { principal }: EntryOptions = {}): void {
    const owner = value.cacheScope === "public" ? everybody : principal;
    const ttlMs = Math.min(this.#ttlMs, value.ttlMs ?? Infinity);
    const bytes = bytesOf(uri, value);
    const older = this.#servers.get(server)?.get(owner)?.get(uri);
    if (older !== undefined) {
      this.#remove(older);
    }
    if (!(ttlMs > 0) || bytes > this.#maxBytes || this.#maxEntries <= 0) {
      return;
    }
    while (this.#size >= this.#maxEntries || this.#bytes + bytes > this.#maxBytes) {
      this.#remove(this.#ring.previous);
    }
    const entry = { server, owner, uri, value, bytes, expires: this.#clock.now() + ttlMs } as Entry;
    const owners = this.#servers.get(server) ?? new Map<Owner, Map<string, Entry>>();
    const entries = owners.get(owner) ?? new Map<string, Entry>();
    this.#servers.set(server, owners.set(owner, entries.set(uri, entry)));
    link(entry, this.#ring);
    this.#size++;
    this.#bytes += bytes;
  }

  /** Forgets one resource, for all principals. @source S-271 */
  delete(server: string, uri: string): void {
    for (const entries of [...(this.#servers.get(server)?.values() ?? [])]) {
      const entry = entries.get(uri);
      if (entry !== undefined) {
        this.#remove(entry);
      }
    }
  }

  /** Forgets everything of one server. @source S-272 */
  deleteServer(server: string): void {
    const owners = this.#servers.get(server);
    this.#servers.delete(server);
    for (const entries of owners?.values() ?? []) {
      for (const entry of entries.values()) {
        unlink(entry);
        this.#size--;
        this.#bytes -= entry.bytes;
      }
    }
  }

  /** Forgets everything. @source S-273 */
  clear(): void {
    this.#servers.clear();
    this.#ring.next = this.#ring;
    this.#ring.previous = this.#ring;
    this.#size = 0;
    this.#bytes = 0;
  }

  #remove(entry: Entry): void {
    const owners = this.#servers.get(entry.server);
    const entries = owners?.get(entry.owner);
    entries?.delete(entry.uri);
    if (entries?.size === 0) {
      owners?.delete(entry.owner);
    }
    if (owners?.size === 0) {
      this.#servers.delete(entry.server);
    }
    unlink(entry);
    this.#size--;
    this.#bytes -= entry.bytes;
  }
}

const overhead = 256;

/** Texts and data, and whatever else the server has sent along. */
function bytesOf(uri: string, { contents, ...others }: ReadResourceResult): number {
  const besides: object[] = [others];
  let length = uri.length;
  for (const content of contents) {
    const { text, blob, ...rest } = content as { readonly text?: string; readonly blob?: string };
    besides.push(rest);
    length += 2 * (text?.length ?? 0) + (blob?.length ?? 0);
  }
  return overhead + length + 2 * JSON.stringify(besides).length;
}
