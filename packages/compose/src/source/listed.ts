import { fetchServerList, type ListItems, type ListKind } from "@tenon/host";
import type { ClientSession } from "@tenon/mcp/client";

import { keepFresh } from "./freshness.ts";

/** The lists of one server, by audience. */
export interface KnownLists {
  /**
   * A list: as it was fetched last, or fetched now. Simultaneous calls share one request.
   *
   * @param audience - The clients that see the same list.
   * @param use - Runs the request on the session that lists.
   */
  get<K extends ListKind>(kind: K, audience: unknown, use: UseSession): Promise<readonly ListItems[K][]>;
  /** Forgets the lists of an audience; without one, all lists. */
  forget(kind?: ListKind, audience?: unknown): void;
}

/** Runs a request on a session that stays open meanwhile. */
type UseSession = <T>(run: (session: ClientSession) => Promise<T>) => Promise<T>;

/** Maximum number of audiences whose lists are kept. */
const maxAudiences = 256;

interface Entry {
  items: readonly unknown[] | undefined;
  freshUntil: number;
  flight: Promise<readonly unknown[]> | undefined;
  /** Counts what has made the list stale. */
  changes: number;
}

/** The capability that a server with a list has. */
export const capabilityOf = {
  tools: "tools",
  prompts: "prompts",
  resources: "resources",
  resourceTemplates: "resources",
} as const;

/** Keeps the lists of a server until they change. @param name - The name of the server. */
export function createKnownLists(name: string | undefined): KnownLists {
  const audiences = new Map<unknown, Map<ListKind, Entry>>();

  function entryOf(kind: ListKind, audience: unknown): Entry {
    const entries = audiences.get(audience) ?? new Map<ListKind, Entry>();
    // The audiences that were used last are last.
    audiences.delete(audience);
    audiences.set(audience, entries);
    const [oldest] = audiences.keys();
    if (audiences.size > maxAudiences) {
      audiences.delete(oldest);
    }
    const entry = entries.get(kind) ?? { items: undefined, freshUntil: 0, flight: undefined, changes: 0 };
    entries.set(kind, entry);
    return entry;
  }

  return {
    async get(kind, audience, use) {
      const entry = entryOf(kind, audience);
      if (entry.items === undefined || performance.now() >= entry.freshUntil) {
        entry.flight ??= take(entry, fetched(kind, entry, use));
        return (await entry.flight) as readonly never[];
      }
      return entry.items as readonly never[];
    },
    forget(kind, audience) {
      for (const [key, entries] of audiences) {
        for (const [of, entry] of entries) {
          if ((kind === undefined || kind === of) && (audience === undefined || audience === key)) {
            entry.freshUntil = 0;
            // A list that was requested before the change may lack it.
            entry.flight = undefined;
            entry.changes++;
          }
        }
      }
    },
  };

  function take(entry: Entry, flight: Promise<readonly unknown[]>): Promise<readonly unknown[]> {
    const own = flight.finally(() => {
      entry.flight = entry.flight === own ? undefined : entry.flight;
    });
    return own;
  }

  async function fetched(kind: ListKind, entry: Entry, use: UseSession): Promise<readonly unknown[]> {
    const { changes } = entry;
    return use(async (session) => {
      const { items, freshMs, ttlMs = 0 } = await fetchServerList(session, kind, { name });
      if (changes !== entry.changes) {
        return items;
      }
      const { listChanged } = { listChanged: false, ...session.serverCapabilities[capabilityOf[kind]] };
      // A legacy server that announces no changes may change its list at any time.
      const keptMs = session.era === "legacy" && !listChanged ? 0 : freshMs;
      entry.freshUntil = performance.now() + keptMs;
      // An unchanged list stays the same array.
      entry.items = isSame(entry.items, items) ? entry.items : items;
      keepFresh(entry.items ?? items, ttlMs);
      return entry.items ?? items;
    });
  }
}

function isSame(before: readonly unknown[] | undefined, after: readonly unknown[]): boolean {
  return before?.length === after.length && JSON.stringify(before) === JSON.stringify(after);
}
