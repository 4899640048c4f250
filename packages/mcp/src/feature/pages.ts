import { McpError } from "../error.ts";
import type { Tolerate } from "../strictness.ts";

/** A server that never comes to an end must not keep its client busy for ever. */
const maxPages = 100_000;

/**
 * Goes through a list page by page, asking for the next page when the last is used up. Any cursor but a missing one continues, also the empty
 * string.
 *
 * @param start - The cursor of the first page to ask for. Default: the first there is.
 * @param tolerate - Whether the list just ends if the server repeats a cursor.
 * @throws `McpError` `INVALID_RESULT` if it does not, because it would never end.
 */
export async function* pages<P extends { nextCursor?: string | null }, T>(
  load: (params: { cursor?: string }) => Promise<P>,
  itemsOf: (page: P) => readonly T[],
  tolerate: Tolerate,
  start?: string,
): AsyncGenerator<T, void, undefined> {
  let cursor = start;
  for (let count = 0; count < maxPages; count++) {
    const page = await load(cursor === undefined ? {} : { cursor });
    yield* itemsOf(page);
    const next = page.nextCursor;
    if (next === undefined || next === null) {
      return;
    }
    if (next === cursor) {
      const message = "The server gave the cursor of the page it was asked for as the next one.";
      tolerate("repeatedCursor", new McpError("INVALID_RESULT", message));
      return;
    }
    cursor = next;
    // On a transport that never waits a long list would keep everything else from running.
    await new Promise((resolve) => setTimeout(resolve, 0));
  }
  throw new McpError("INVALID_RESULT", `The server's list has more than ${maxPages} pages.`);
}
