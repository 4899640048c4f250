import type { Prompt, Resource, ResourceTemplate, Tool } from "@tenon/protocol";

import { lazy, type Lazy } from "../../base/lazy.ts";
import type { InnerClientSession } from "../../request/client/inner-session.ts";
import type { ListOptions } from "../../request/client/options.ts";
import type { MethodDefinition } from "../../request/extension.ts";
import type * as pagesModule from "./client/pages.lazy.ts";

const paging: Lazy<typeof pagesModule> = lazy(() => import("./client/pages.lazy.ts"));

/**
 * The types of the items in the lists of a session, by the property of a page that contains them.
 */
export interface Items {
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
 * Yields the items of a list, and requests the next page when the previous page is used up.
 *
 * @param options - `cursor` is the cursor of the first page to request. By default the list starts
 *   at its beginning.
 * @throws As `eachItem`.
 */
export async function* pages<K extends keyof Items>(
  session: InnerClientSession,
  property: K,
  options: ListOptions | undefined,
): AsyncGenerator<Items[K], void, undefined> {
  const { eachItem } = await paging.use((module) => module);
  yield* eachItem<Items[K]>(session, property, options, (cursor) =>
    session[listing[property]](cursor, options),
  );
}

/**
 * Yields the items of the pages of an extension's method: see `ClientSession.pages`.
 *
 * @throws As `eachItem`; `McpError` `INVALID_DEFINITION` for a method without pages.
 */
export async function* extensionPages(
  session: InnerClientSession,
  method: MethodDefinition,
  params: object,
  options: ListOptions | undefined,
): AsyncGenerator<object, void, undefined> {
  const { eachItem, pagedOf } = await paging.use((module) => module);
  yield* eachItem<object>(session, pagedOf(method), options, (cursor) =>
    session.request(method, { ...params, ...cursor }, options),
  );
}
