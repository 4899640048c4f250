import { McpError, type ClientSession, type RequestOptions } from "@tenon/mcp";
import type { Prompt, Resource, ResourceTemplate, Tool } from "@tenon/protocol";

import { HostError } from "../error.ts";
import type { ListKind } from "../events.ts";
import { isRecord } from "../record.ts";
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
  /** Longest item of a list, in characters of JSON: what servers say of their tools ends up in front of models. Default 262 144 (256 Ki). */
  readonly maxItemLength?: number | undefined;
}

/** A page as it came: nothing is known of it. */
interface Page {
  readonly nextCursor?: unknown;
  readonly ttlMs?: unknown;
  readonly [member: string]: unknown;
}

interface ListRules {
  readonly method: "tools/list" | "prompts/list" | "resources/list" | "resources/templates/list";
  readonly capability: "tools" | "prompts" | "resources";
  /** The member that tells the items apart: a text. */
  readonly key: string;
}

/** How each kind of list is asked for. */
export const listRules: Readonly<Record<ListKind, ListRules>> = {
  tools: { method: "tools/list", capability: "tools", key: "name" },
  prompts: { method: "prompts/list", capability: "prompts", key: "name" },
  resources: { method: "resources/list", capability: "resources", key: "uri" },
  resourceTemplates: { method: "resources/templates/list", capability: "resources", key: "uriTemplate" },
};

/**
 * Fetches a list, page by page. A server without the capability has an empty one. The items are in the order of the server.
 *
 * How long it counts as fresh: the shortest `ttlMs` of its pages, where the server says one above 0. A `ttlMs` of 0 means that the list is asked for every
 * time, unless the server has promised to tell of changes.
 *
 * @throws `HostError` `LIMIT_EXCEEDED` beyond the limits; mcp's `McpError` `INVALID_RESULT` for a page that is none.
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
  const { maxPages = 64, maxItems = 10_000, maxItemLength = 262_144 } = limits;
  const refusal = (message: string): HostError =>
    new HostError("LIMIT_EXCEEDED", message, { server, phase: "list", delivered: "yes" });
  const declared = session.serverCapabilities[capability];
  if (declared === undefined) {
    return { items: [], freshMs: Infinity };
  }
  const items: ListItems[K][] = [];
  const announced = "listChanged" in declared && declared.listChanged;
  let freshMs = Infinity;
  let cursor: string | undefined;
  for (let page = 1; ; page++) {
    const result = (await session.request(
      method,
      traced(cursor === undefined ? {} : { cursor }, trace),
      options,
    )) as unknown as Page;
    const found = itemsOf(result, kind);
    const ttlMs = session.era === "modern" ? lifetime(result.ttlMs) : Infinity;
    freshMs = Math.min(freshMs, ttlMs <= 0 && announced ? Infinity : Math.max(0, ttlMs));
    cursor = cursorOf(result, kind);
    if (items.length + found.length > maxItems || (cursor !== undefined && page >= maxPages)) {
      throw refusal(
        `The ${kind} of ${server} have more than ${maxPages} pages or ${maxItems} items (maxPages, maxItems).`,
      );
    }
    for (const item of found) {
      if (JSON.stringify(item).length > maxItemLength) {
        throw refusal(
          `One of the ${kind} of ${server} is longer than ${maxItemLength} characters (maxItemLength).`,
        );
      }
      items.push(item);
    }
    if (cursor === undefined) {
      return { items, freshMs };
    }
  }
}

function itemsOf<K extends ListKind>(page: Page, kind: K): readonly ListItems[K][] {
  const items = page[kind];
  const { key } = listRules[kind];
  if (!Array.isArray(items) || !items.every((item) => isRecord(item) && typeof item[key] === "string")) {
    throw invalid(`The server's page of ${kind} needs ${kind}, a list of objects with a ${key}.`);
  }
  return items as readonly object[] as readonly ListItems[K][];
}

function cursorOf({ nextCursor }: Page, kind: ListKind): string | undefined {
  if (nextCursor === undefined || nextCursor === null || typeof nextCursor === "string") {
    return nextCursor ?? undefined;
  }
  throw invalid(`The server's page of ${kind} has a nextCursor that is no text.`);
}

function lifetime(ttlMs: unknown): number {
  return typeof ttlMs === "number" ? ttlMs : 0;
}

function invalid(message: string): McpError {
  return new McpError("INVALID_RESULT", message);
}
