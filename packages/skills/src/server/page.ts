import { ErrorCode, RpcError } from "@tenon/jsonrpc2/core";

/**
 * A page of items that are sorted by their URI, after the item that a cursor names. The item need
 * not exist any longer.
 *
 * @throws `RpcError` `-32602` for a cursor that is not a string.
 */
export function pageAfter<T extends { readonly uri: string }>(
  items: readonly T[],
  cursor: unknown,
  size: number,
): { readonly items: readonly T[]; readonly nextCursor?: string } {
  if (cursor !== undefined && (typeof cursor !== "string" || !cursor.startsWith("skill://"))) {
    throw new RpcError(ErrorCode.InvalidParams, "Invalid cursor");
  }
  const first = cursor === undefined ? 0 : items.findIndex(({ uri }) => uri > cursor);
  const page = first === -1 ? [] : items.slice(first, first + size);
  const last = page.at(-1);
  const hasMore = last !== undefined && first + size < items.length;
  return hasMore ? { items: page, nextCursor: last.uri } : { items: page };
}
