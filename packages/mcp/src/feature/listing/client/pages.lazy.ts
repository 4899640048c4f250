import { isRecord } from "@tenon/base";
import { LocalError } from "@tenon/jsonrpc2/core";

import { McpError } from "../../../base/error.ts";
import { limitsOf } from "../../../base/limits.ts";
import type { InnerClientSession } from "../../../request/client/inner-session.ts";
import type { ListOptions } from "../../../request/client/options.ts";
import type { MethodDefinition } from "../../../request/extension.ts";

/** A server whose list never ends must not keep its client busy indefinitely. */
const defaultMaxPages = 1000;

/** The property of a page that contains the items of an extension's method. */
export function pagedOf({ method, paged }: MethodDefinition): string {
  if (paged === undefined) {
    throw new McpError("INVALID_DEFINITION", `The definition of ${method} must have "paged".`);
  }
  return paged;
}

/**
 * Yields the items of a list. A missing cursor ends the list. In the modern era the empty string is
 * a cursor; legacy servers end lists with it.
 *
 * @throws `McpError` `INVALID_RESULT` for a page without the list; if the server repeats a cursor,
 *   unless that is tolerated, because the list would never end. jsonrpc2's `LIMIT_EXCEEDED` for a
 *   list of more than `maxPages` pages. `McpError` `INVALID_DEFINITION` for a `maxPages` below 1.
 * @source R-566
 */
export async function* eachItem<T>(
  session: InnerClientSession,
  property: string,
  options: ListOptions | undefined,
  load: (cursor: { readonly cursor?: string }) => Promise<object>,
): AsyncGenerator<T, void, undefined> {
  const { maxPages } = limitsOf(
    { maxPages: options?.maxPages },
    { maxPages: [defaultMaxPages, 1] },
    "options",
  );
  let cursor = options?.cursor;
  const seen = new Set(cursor === undefined ? [] : [cursor]);
  let last: string | undefined;
  for (let count = 0; count < maxPages; count++) {
    const page: { readonly nextCursor?: unknown } = await load(cursor === undefined ? {} : { cursor });
    const items = itemsOf(page, property) as readonly T[];
    const next = page.nextCursor;
    if (next === undefined || next === null || (next === "" && session.era === "legacy")) {
      yield* items;
      return;
    }
    const isRepeated = typeof next === "string" && seen.has(next);
    // A server that ignores the cursor returns the same page again.
    if (!isRepeated || JSON.stringify(items) !== last) {
      yield* items;
    }
    if (typeof next !== "string") {
      const refusal = invalid(
        `The server's page of ${property} has an invalid nextCursor: it must be a string.`,
      );
      session.tolerate("repeatedCursor", refusal);
      return;
    }
    if (isRepeated) {
      const refusal = invalid(
        `The server returned a cursor of an earlier page of ${property} as nextCursor.`,
      );
      session.tolerate("repeatedCursor", refusal);
      return;
    }
    cursor = next;
    seen.add(next);
    last = JSON.stringify(items);
    // On a transport that never waits a long list would keep everything else from running.
    await new Promise((resolve) => setTimeout(resolve, 0));
  }
  const message = `The server's list of ${property} has more than ${maxPages} pages (maxPages).`;
  throw new LocalError("LIMIT_EXCEEDED", message);
}

function itemsOf(page: object, property: string): readonly object[] {
  const items: unknown = Reflect.get(page, property);
  if (!Array.isArray(items) || !items.every(isRecord)) {
    throw invalid(`The server's page of ${property} needs ${property}, a list of objects.`);
  }
  return items;
}

function invalid(message: string): McpError {
  return new McpError("INVALID_RESULT", message);
}
