import type { ListKind } from "@tenon/host";
import { ErrorCode, RpcError } from "@tenon/jsonrpc2/core";
import { prepareResult } from "@tenon/jsonrpc2/transport";

/** The pages of lists. */
export interface Pages {
  /**
   * A page of a list. The same object for the same list, which is serialized once.
   *
   * @param cursor - Where the page starts, from the page before.
   * @throws `RpcError` `-32602` for a cursor that no page had.
   */
  page(kind: ListKind, items: readonly unknown[], cursor: unknown): object;
}

const keyOf = { tools: "name", prompts: "name", resources: "uri", resourceTemplates: "uriTemplate" } as const;

/** Divides lists into pages. @param pageSize - Default: `1_000`. */
export function createPages(pageSize = 1000): Pages {
  /** By list, then by the index of the first item. Lists that are no longer used are collected. */
  const known = new WeakMap<readonly unknown[], Map<number, object>>();

  return {
    page(kind, items, cursor) {
      const start = startOf(kind, items, cursor);
      const pages = known.get(items) ?? new Map<number, object>();
      known.set(items, pages);
      let page = pages.get(start);
      if (page === undefined) {
        const end = start + pageSize;
        const last = end < items.length ? items[end - 1] : undefined;
        const nextCursor = last === undefined ? {} : { nextCursor: cursorOf(end, keyIn(kind, last)) };
        page = prepareResult({ [kind]: items.slice(start, end), ...nextCursor });
        // Pages that start elsewhere come from cursors of other lists.
        if (start % pageSize === 0) {
          pages.set(start, page);
        }
      }
      return page;
    },
  };
}

function keyIn(kind: ListKind, item: unknown): string {
  return String((item as Readonly<Record<string, unknown>>)[keyOf[kind]]);
}

function cursorOf(index: number, key: string): string {
  return `${index} ${key}`;
}

/**
 * The list may have changed since: the page starts after the item of the cursor, if it exists.
 * Several items may have the same key, such as a URL of the web that two sources list.
 */
function startOf(kind: ListKind, items: readonly unknown[], cursor: unknown): number {
  if (cursor === undefined) {
    return 0;
  }
  const [, index, key] = (typeof cursor === "string" && /^(\d{1,9}) (.*)$/s.exec(cursor)) || [];
  if (index === undefined) {
    throw new RpcError(ErrorCode.InvalidParams, "Unknown cursor: start again without a cursor.");
  }
  const before = Number(index) - 1;
  if (before in items && keyIn(kind, items[before]) === key) {
    return before + 1;
  }
  const found = items.findIndex((item) => keyIn(kind, item) === key);
  return found === -1 ? Math.min(before + 1, items.length) : found + 1;
}
