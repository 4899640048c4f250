import type { ResolvedLimits } from "@tenon/base";
import { ErrorCode, isRpcError } from "@tenon/jsonrpc2/core";
import { McpError, type ClientSession, type RequestOptions } from "@tenon/mcp";

import type { ListKind } from "../events.ts";
import type { ManagerLimits } from "../limits.ts";
import { traced, type Trace } from "../server/wire.ts";
import { listRules, type ListItems } from "./list-kinds.ts";
import { Sieve, type FetchedList } from "./sieve.ts";

/** Limits for fetching a list. */
export type ListLimits = Pick<ResolvedLimits<ManagerLimits>, "maxPages" | "maxItems" | "maxItemLength">;

/** A received page, which is not validated yet. */
interface Page {
  readonly nextCursor?: unknown;
  readonly ttlMs?: unknown;
  readonly [member: string]: unknown;
}

/**
 * Fetches a list, page by page. If the server lacks the capability or, except for tools, the
 * method, the list is empty, because many servers declare `resources` but have no templates. The
 * items keep the order of the server. An invalid item is omitted and does not affect the others.
 *
 * The list is fresh for the shortest `ttlMs` above 0 of its pages. With a `ttlMs` of 0, the list is
 * requested every time, unless the server sends list changed notifications.
 *
 * @throws `HostError` `LIMIT_EXCEEDED` beyond the limits; mcp's `McpError` `INVALID_RESULT` for a
 *   malformed page.
 * @source R-575
 */
export async function fetchList<K extends ListKind>(
  server: string,
  session: ClientSession,
  kind: K,
  limits: ListLimits,
  trace: Trace,
  options: RequestOptions,
): Promise<FetchedList<ListItems[K]>> {
  const { method, capability } = listRules[kind];
  const { maxPages, maxItems, maxItemLength } = limits;
  const declared = session.serverCapabilities[capability];
  const sieve = new Sieve<ListItems[K]>(server, kind, maxItemLength);
  if (declared === undefined) {
    return sieve.result(Infinity);
  }
  const announced = "listChanged" in declared && declared.listChanged;
  let freshMs = Infinity;
  let ttlMs = Infinity;
  const fetched = (): FetchedList<ListItems[K]> => ({
    ...sieve.result(freshMs),
    ...(session.era === "modern" && ttlMs < Infinity ? { ttlMs } : {}),
  });
  let cursor: string | undefined;
  const seen = new Set<string>();
  let last: string | undefined;
  for (let page = 1, count = 0; ; page++) {
    let result: Page;
    try {
      const params = traced(cursor === undefined ? {} : { cursor }, trace);
      const received: object = await session.request(method, params, options);
      result = { ...received };
    } catch (error) {
      if (page === 1 && kind !== "tools" && isRpcError(error) && error.code === ErrorCode.MethodNotFound) {
        return sieve.result(Infinity);
      }
      throw error;
    }
    const found = itemsOf(result, kind);
    const own = session.era === "modern" ? lifetime(result.ttlMs) : Infinity;
    freshMs = Math.min(freshMs, own <= 0 && announced ? Infinity : Math.max(0, own));
    ttlMs = Math.min(ttlMs, Math.max(0, own));
    cursor = cursorOf(result, session.era);
    const text = JSON.stringify(found);
    if (cursor !== undefined && seen.has(cursor)) {
      // A server that ignores the cursor returns the same page again.
      if (text !== last) {
        found.forEach((item) => sieve.take(item));
      }
      sieve.endEarly("its pages repeat a cursor");
      return fetched();
    }
    last = text;
    count += found.length;
    if (count > maxItems || (cursor !== undefined && page >= maxPages)) {
      throw sieve.refusal(
        `The ${kind} of ${server} have more than ${maxPages} pages or ${maxItems} items (maxPages, maxItems).`,
      );
    }
    found.forEach((item) => sieve.take(item));
    if (cursor === undefined) {
      if (typeof (result.nextCursor ?? "") !== "string") {
        sieve.endEarly("it has a nextCursor that is not a string");
      }
      return fetched();
    }
    seen.add(cursor);
  }
}

function itemsOf(page: Page, kind: ListKind): readonly unknown[] {
  const items = page[kind];
  if (!Array.isArray(items)) {
    throw invalid(
      `The server's page of ${kind} needs ${kind}, a list of objects with a ${listRules[kind].key}.`,
    );
  }
  return items;
}

function cursorOf({ nextCursor }: Page, era: ClientSession["era"]): string | undefined {
  const isEnd = nextCursor === "" && era === "legacy";
  return typeof nextCursor === "string" && !isEnd ? nextCursor : undefined;
}

function lifetime(ttlMs: unknown): number {
  return typeof ttlMs === "number" ? ttlMs : 0;
}

function invalid(message: string): McpError {
  return new McpError("INVALID_RESULT", message);
}
