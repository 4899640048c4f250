import { ErrorCode, RpcError } from "@tenon/jsonrpc2";

/** One page of a list. */
export interface Page<T> {
  readonly items: readonly T[];
  /** Where the next page starts; absent on the last one. */
  readonly nextCursor?: string;
}

const maxCursorLength = 65_536;
const version = "1";

/**
 * Where the page that a cursor stands for starts in a sorted list.
 *
 * @param keys - Sorted ascending by code unit.
 * @throws `RpcError` −32602 for a cursor that {@link pageAt} did not make.
 */
export function startOf(keys: readonly string[], cursor: unknown): number {
  return cursor === undefined || cursor === null ? 0 : indexAfter(keys, decodeCursor(cursor));
}

/**
 * A page of a sorted list, cut by key rather than by position, so that items which come and go between two pages shift nothing. The cursor names the last key
 * of its page; it is opaque to clients and means the same on every machine.
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

function encodeCursor(key: string): string {
  const bytes = new TextEncoder().encode(key);
  return version + btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
}

function decodeCursor(cursor: unknown): string {
  if (typeof cursor === "string" && cursor.length <= maxCursorLength && cursor.startsWith(version)) {
    try {
      const bytes = Uint8Array.from(atob(cursor.slice(version.length)), (char) => char.charCodeAt(0));
      return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    } catch {
      // Falls through to the one error for everything that is no cursor of ours.
    }
  }
  throw new RpcError(ErrorCode.InvalidParams, "The cursor is not valid; start over without one");
}
