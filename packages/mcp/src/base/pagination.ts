import { ErrorCode, RpcError } from "@tenon/jsonrpc2/core";

/** One page of a list. */
export interface Page<T> {
  readonly items: readonly T[];
  /** The cursor of the next page; absent on the last page. */
  readonly nextCursor?: string;
}

const maxCursorLength = 65_536;
const version = "1";

/**
 * Returns the index in a sorted list at which the page of a cursor starts.
 *
 * @param keys - Sorted ascending by code unit.
 * @throws `RpcError` `-32602` for a cursor that {@link pageAt} did not make.
 */
export function startOf(keys: readonly string[], cursor: unknown): number {
  return cursor === undefined || cursor === null
    ? 0
    : indexAfter(
        keys,
        decodeCursor(cursor, version, (key) => key),
      );
}

/**
 * Returns a page of a sorted list. Pages are cut by key rather than by position: an item that is
 * added or removed between two pages does not shift others. The cursor contains the last key of
 * its page; it is opaque to clients and valid on every instance.
 *
 * @param keys - Sorted ascending by code unit.
 * @source R-565…R-568
 */
export function pageAt<T>(
  start: number,
  keys: readonly string[],
  get: (key: string) => T,
  pageSize: number,
): Page<T> {
  const page = keys.slice(start, start + pageSize);
  const last = page.at(-1);
  const items = page.map(get);
  return last !== undefined && start + pageSize < keys.length
    ? { items, nextCursor: encodeCursor(last) }
    : { items };
}

/** The first index whose key is greater than `key`. */
function indexAfter(keys: readonly string[], key: string): number {
  let low = 0;
  let high = keys.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((keys[middle] ?? "") <= key) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

/**
 * Encodes a string as a cursor.
 *
 * @param kind - One character that distinguishes kinds of cursors.
 */
export function encodeCursor(key: string, kind: string = version): string {
  const bytes = new TextEncoder().encode(key);
  return kind + btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
}

/**
 * Reads what {@link encodeCursor} made.
 *
 * @param read - Reads the text; `undefined` or an exception if it is not valid.
 * @throws `RpcError` `-32602` for a cursor of another kind or make.
 */
export function decodeCursor<T>(cursor: unknown, kind: string, read: (text: string) => T | undefined): T {
  if (typeof cursor === "string" && cursor.length <= maxCursorLength && cursor.startsWith(kind)) {
    try {
      const bytes = Uint8Array.from(atob(cursor.slice(kind.length)), (char) => char.charCodeAt(0));
      const found = read(new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes));
      if (found !== undefined) {
        return found;
      }
    } catch {
      // Falls through to the error for every invalid cursor.
    }
  }
  throw new RpcError(ErrorCode.InvalidParams, "Invalid cursor; start again without a cursor");
}
