import type { Prompt, Resource, ResourceTemplate, Tool } from "@tenon/protocol";

import { McpError } from "../error.ts";
import type { ClientSession } from "../session/client-session.ts";
import type { ListOptions } from "../session/request-options.ts";

/** A server that never comes to an end must not keep its client busy for ever. */
const maxPages = 100_000;

/** What the lists of a session consist of, by the member of a page that holds it. */
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
 * Goes through a list page by page, asking for the next page when the last is used up. Any cursor but a missing one continues, also the empty string.
 *
 * @param options - `cursor` is that of the first page to ask for. Default: the first there is.
 * @throws `McpError` `INVALID_RESULT` if the server repeats a cursor, which would never end, unless that is tolerated.
 * @source R-566
 */
export async function* pages<K extends keyof Items>(
  session: ClientSession,
  member: K,
  options: ListOptions | undefined,
): AsyncGenerator<Items[K], void, undefined> {
  let cursor = options?.cursor;
  for (let count = 0; count < maxPages; count++) {
    const params = cursor === undefined ? {} : { cursor };
    const page = await session[listing[member]](params, options);
    yield* (page as unknown as { readonly [N in K]: readonly Items[N][] })[member];
    const next = page.nextCursor;
    if (next === undefined || next === null) {
      return;
    }
    if (next === cursor) {
      const message = "The server gave the cursor of the page it was asked for as the next one.";
      session.definition.tolerate("repeatedCursor", new McpError("INVALID_RESULT", message));
      return;
    }
    cursor = next;
    // On a transport that never waits a long list would keep everything else from running.
    await new Promise((resolve) => setTimeout(resolve, 0));
  }
  throw new McpError("INVALID_RESULT", `The server's list has more than ${maxPages} pages.`);
}
