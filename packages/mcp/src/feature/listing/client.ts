import { LocalError } from "@tenon/jsonrpc2";
import { isRecord } from "@tenon/jsonrpc2/transport";
import type { Prompt, Resource, ResourceTemplate, Tool } from "@tenon/protocol";

import { McpError } from "../../base/error.ts";
import { limitsOf } from "../../base/limits.ts";
import type { InnerClientSession } from "../../request/client/inner-session.ts";
import type { ListOptions } from "../../request/client/options.ts";

/** A server whose list never ends must not keep its client busy indefinitely. */
const defaultMaxPages = 1000;

/**
 * The types of the items in the lists of a session, by the property of a page that contains them.
 */
interface Items {
  readonly tools: Tool;
  readonly prompts: Prompt;
  readonly resources: Resource;
  readonly resourceTemplates: ResourceTemplate;
}

const listing = {
  tools: "listTools",
  prompts: "listPrompts",
  resources: "listResources",
  resourceTemplates: "listResourceTemplates",
} as const;

/**
 * Yields the items of a list, and requests the next page when the previous page is used up. Any
 * cursor continues the list, including the empty string; a missing cursor ends it.
 *
 * @param options - `cursor` is the cursor of the first page to request. By default the list starts
 *   at its beginning.
 * @throws `McpError` `INVALID_RESULT` for a page without the list; if the server repeats a cursor,
 *   unless that is tolerated, because the list would never end. jsonrpc2's `LIMIT_EXCEEDED` for a
 *   list of more than `maxPages` pages. `McpError` `INVALID_DEFINITION` for a `maxPages` below 1.
 * @source R-566
 */
export async function* pages<K extends keyof Items>(
  session: InnerClientSession,
  member: K,
  options: ListOptions | undefined,
): AsyncGenerator<Items[K], void, undefined> {
  const { maxPages } = limitsOf(
    { maxPages: options?.maxPages },
    { maxPages: [defaultMaxPages, 1] },
    "options",
  );
  let cursor = options?.cursor;
  for (let count = 0; count < maxPages; count++) {
    const params = cursor === undefined ? {} : { cursor };
    const page = await session[listing[member]](params, options);
    yield* itemsOf(page, member);
    const next: unknown = page.nextCursor;
    if (next === undefined || next === null) {
      return;
    }
    if (typeof next !== "string") {
      throw invalid(`The server's page of ${member} has an invalid nextCursor: it must be a string.`);
    }
    if (next === cursor) {
      const refusal = invalid("The server returned the cursor of the requested page as nextCursor.");
      session.tolerate("repeatedCursor", refusal);
      return;
    }
    cursor = next;
    // On a transport that never waits a long list would keep everything else from running.
    await new Promise((resolve) => setTimeout(resolve, 0));
  }
  const message = `The server's list of ${member} has more than ${maxPages} pages (maxPages).`;
  throw new LocalError("LIMIT_EXCEEDED", message);
}

function itemsOf<K extends keyof Items>(page: object, member: K): readonly Items[K][] {
  const items: unknown = Reflect.get(page, member);
  if (!Array.isArray(items) || !items.every(isRecord)) {
    throw invalid(`The server's page of ${member} needs ${member}, a list of objects.`);
  }
  return items as readonly object[] as readonly Items[K][];
}

function invalid(message: string): McpError {
  return new McpError("INVALID_RESULT", message);
}
