import type { ServerRequest } from "@tenon/mcp/server";

/** Lists of which clients have read some pages. Their further pages are not gathered again. */
export interface KeptLists {
  /**
   * Keeps a list for the sender of a request.
   *
   * @returns The id of the list, which cannot be guessed.
   */
  add(items: readonly unknown[], request: ServerRequest): string;
  /** A list that the sender of a request has begun to read; `undefined` if it is forgotten. */
  get(id: string, request: ServerRequest): readonly unknown[] | undefined;
}

/** Maximum number of lists. Above it, the oldest list is forgotten. */
const maxLists = 100;
/** Maximum number of items of all lists. */
const maxItems = 100_000;

/** Creates a table without lists. */
export function createKeptLists(): KeptLists {
  const lists = new Map<string, { readonly items: readonly unknown[]; readonly principal: unknown }>();
  let size = 0;
  return {
    add(items, { auth }) {
      const id = crypto.randomUUID();
      lists.set(id, { items, principal: auth?.principal });
      size += items.length;
      for (const [oldest, list] of lists) {
        if (lists.size <= maxLists && size <= maxItems) {
          break;
        }
        lists.delete(oldest);
        size -= list.items.length;
      }
      return id;
    },
    get(id, { auth }) {
      const list = lists.get(id);
      return list?.principal === auth?.principal ? list?.items : undefined;
    },
  };
}
