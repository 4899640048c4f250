import { prepareResult } from "@tenon/jsonrpc2/transport";

import { pageAt, startOf } from "../../base/pagination.ts";
import type { Registry } from "../../base/registry.ts";
import type { InnerServerRequest } from "../../request/server/request.ts";
import type { RevisionRules } from "../../revisions/rules.ts";

/** A page of a listing: converted items, and where the next page starts. */
interface ListedPage<T> {
  readonly items: readonly T[];
  readonly nextCursor?: string;
  /** The whole result, written as JSON already; made when it is first asked for. */
  prepared?: object;
}

/**
 * The pages of one registry as each revision knows them. A page is converted once and kept until
 * the registry changes, because the same pages are requested repeatedly. Only consecutive pages are
 * cached: they contain each item once, however many cursors a client invents.
 */
export class Listing<D, T> {
  readonly #registry: Registry<D>;
  readonly #pageSize: number;
  readonly #convert: (item: D, rules: RevisionRules) => T;
  readonly #kept = new Map<RevisionRules, Map<number, ListedPage<T>>>();
  #version = -1;

  constructor(registry: Registry<D>, pageSize: number, convert: (item: D, rules: RevisionRules) => T) {
    this.#registry = registry;
    this.#pageSize = pageSize;
    this.#convert = convert;
  }

  /**
   * Returns a page as the result of a list method. If middleware exists, which may change the
   * result, the array is a copy and the items are shared. Otherwise the result is frozen and
   * serialized once for all clients.
   *
   * @param member - The name of the array in the result.
   * @throws `RpcError` `-32602` for an invalid cursor.
   */
  page<K extends string>(
    member: K,
    cursor: unknown,
    { rules, isBare }: InnerServerRequest,
  ): { [P in K]: T[] } & { nextCursor?: string } {
    const page = this.#page(cursor, rules);
    if (!isBare) {
      return resultOf(member, page);
    }
    page.prepared ??= prepareResult(resultOf(member, page));
    return page.prepared as { [P in K]: T[] } & { nextCursor?: string };
  }

  #page(cursor: unknown, rules: RevisionRules): ListedPage<T> {
    const registry = this.#registry;
    if (this.#version !== registry.version) {
      this.#version = registry.version;
      this.#kept.clear();
    }
    const start = startOf(registry.names, cursor);
    let kept = this.#kept.get(rules);
    let page = kept?.get(start);
    if (page === undefined) {
      const get = (name: string): T => this.#convert(registry.get(name) as D, rules);
      page = pageAt(start, registry.names, get, this.#pageSize);
      if (start % this.#pageSize === 0) {
        kept ??= new Map<number, ListedPage<T>>();
        kept.set(start, page);
        this.#kept.set(rules, kept);
      }
    }
    return page;
  }
}

function resultOf<K extends string, T>(
  member: K,
  { items, nextCursor }: ListedPage<T>,
): { [P in K]: T[] } & { nextCursor?: string } {
  const result = { [member]: items.slice() } as { [P in K]: T[] };
  return nextCursor === undefined ? result : { ...result, nextCursor };
}
