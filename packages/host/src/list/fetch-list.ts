import type { ClientSession, RequestOptions } from "@tenon/mcp";
import type { Prompt, Resource, ResourceTemplate, Tool } from "@tenon/protocol";

import { HostError } from "../error.ts";
import type { ListKind } from "../events.ts";
import { traced, type Trace } from "../server/wire.ts";
import type { Fetched } from "./cached-list.ts";

/** What each kind of list consists of. */
export interface ListItems {
  readonly tools: Tool;
  readonly prompts: Prompt;
  readonly resources: Resource;
  readonly resourceTemplates: ResourceTemplate;
}

/** How far a list is followed. */
export interface ListLimits {
  /** Most pages of one list. Default 64. */
  readonly maxPages?: number | undefined;
  /** Most items of one list. Default 10 000. */
  readonly maxItems?: number | undefined;
}

interface Page {
  readonly nextCursor?: string | null;
  readonly ttlMs?: number;
}

interface ListRules {
  readonly method: "tools/list" | "prompts/list" | "resources/list" | "resources/templates/list";
  readonly capability: "tools" | "prompts" | "resources";
}

/** How each kind of list is asked for. */
export const listRules: Readonly<Record<ListKind, ListRules>> = {
  tools: { method: "tools/list", capability: "tools" },
  prompts: { method: "prompts/list", capability: "prompts" },
  resources: { method: "resources/list", capability: "resources" },
  resourceTemplates: { method: "resources/templates/list", capability: "resources" },
};

/**
 * Fetches a list, page by page. A server without the capability has an empty one. The items are in the order of the server.
 *
 * How long it counts as fresh: the shortest `ttlMs` of its pages, where the server says one above 0. A `ttlMs` of 0 means that the list is asked for every
 * time, unless the server has promised to tell of changes.
 *
 * @throws `HostError` `LIMIT_EXCEEDED` beyond the limits.
 * @source R-575
 */
export async function fetchList<K extends ListKind>(
  server: string,
  session: ClientSession,
  kind: K,
  limits: ListLimits,
  trace: Trace,
  options: RequestOptions,
): Promise<Fetched<ListItems[K]>> {
  const { method, capability } = listRules[kind];
  const { maxPages = 64, maxItems = 10_000 } = limits;
  const declared = session.serverCapabilities[capability];
  if (declared === undefined) {
    return { items: [], freshMs: Infinity };
  }
  const items: ListItems[K][] = [];
  const announced = "listChanged" in declared && declared.listChanged;
  let freshMs = Infinity;
  let cursor: string | undefined;
  for (let page = 1; ; page++) {
    const result: Page = await session.request(
      method,
      traced(cursor === undefined ? {} : { cursor }, trace),
      options,
    );
    const found: unknown = (result as Readonly<Record<string, unknown>>)[kind];
    if (Array.isArray(found)) {
      items.push(...(found as ListItems[K][]));
    }
    const ttlMs = session.era === "modern" ? (result.ttlMs ?? 0) : Infinity;
    freshMs = Math.min(freshMs, ttlMs <= 0 && announced ? Infinity : Math.max(0, ttlMs));
    cursor = result.nextCursor ?? undefined;
    if (items.length > maxItems || (cursor !== undefined && page >= maxPages)) {
      const message = `The ${kind} of ${server} have more than ${maxPages} pages or ${maxItems} items (maxPages, maxItems).`;
      throw new HostError("LIMIT_EXCEEDED", message, { server, phase: "list", delivered: "yes" });
    }
    if (cursor === undefined) {
      return { items, freshMs };
    }
  }
}
