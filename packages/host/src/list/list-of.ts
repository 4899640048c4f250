import type { ClientSession } from "@tenon/mcp";

import type { ListKind } from "../events.ts";
import { limitsOf, managerLimits, type ManagerLimits } from "../limits.ts";
import { createTrace } from "../server/wire.ts";
import { fetchList } from "./fetch-list.ts";
import type { ListItems } from "./list-kinds.ts";
import type { FetchedList } from "./sieve.ts";

/** Options of {@link fetchServerList}. */
export interface ServerListOptions {
  /** The name of the server, for errors. Default: `the server`. */
  readonly name?: string | undefined;
  /** Numbers that are not exceeded. Each has the default of `ManagerLimits`. */
  readonly limits?: Pick<ManagerLimits, "maxPages" | "maxItems" | "maxItemLength"> | undefined;
  /** Cancels the requests. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Fetches all pages of a list of a server, in the order of the server. A list that the server does
 * not offer is empty. Items that are invalid, too long or listed twice are left out.
 *
 * @throws `HostError` `LIMIT_EXCEEDED` for a list that is too long; `McpError` `INVALID_RESULT` for
 *   a page without the list; the errors of `session.request`.
 */
export async function fetchServerList<K extends ListKind>(
  session: ClientSession,
  kind: K,
  { name = "the server", limits, signal }: ServerListOptions = {},
): Promise<FetchedList<ListItems[K]>> {
  const resolved = limitsOf(limits, managerLimits);
  return fetchList(name, session, kind, resolved, createTrace(), { signal });
}
