import type { Clock } from "@tenon/base";
import type { Tool } from "@tenon/protocol";

import type { Emitter, ListKind } from "../events.ts";
import { CachedList } from "../list/cached-list.ts";
import { fetchList, type ListLimits } from "../list/fetch-list.ts";
import type { ListItems } from "../list/list-kinds.ts";
import type { Part } from "../list/merged-list.ts";
import type { FetchedList } from "../list/sieve.ts";
import type { PinBoard } from "../policy/pins.ts";
import type { ManagedServer } from "../server/managed-server.ts";
import { perform } from "../server/perform.ts";

/** The dependencies of the lists of a server. */
export interface ListSetup {
  readonly clock: Clock;
  readonly limits: ListLimits;
  readonly events: Emitter;
  readonly pins: PinBoard;
}

type Lists = { readonly [K in ListKind]: CachedList<ListItems[K]> };

/** The four lists of one server. */
export class ServerLists {
  readonly #server: ManagedServer;
  readonly #setup: ListSetup;
  readonly #lists: Lists;

  constructor(server: ManagedServer, setup: ListSetup) {
    this.#server = server;
    this.#setup = setup;
    const list = <K extends ListKind>(
      kind: K,
      inspect?: (fetched: FetchedList<ListItems[K]>) => void,
    ): CachedList<ListItems[K]> => new CachedList(() => this.#fetch(kind, inspect), setup.clock);
    this.#lists = {
      tools: list("tools", (fetched) => {
        this.#comparePins(fetched);
      }),
      prompts: list("prompts"),
      resources: list("resources"),
      resourceTemplates: list("resourceTemplates"),
    };
  }

  /** One list, which connects if need be. @throws `HostError` if it cannot be fetched. */
  read<K extends ListKind>(kind: K): Promise<readonly ListItems[K][]> {
    return this.#lists[kind].read();
  }

  /** The last known state of a list. */
  last<K extends ListKind>(kind: K): readonly ListItems[K][] | undefined {
    return this.#lists[kind].last;
  }

  /** True if a list was never fetched, or may have changed since. */
  isMarked(kind: ListKind): boolean {
    return this.#lists[kind].isMarked;
  }

  /** The next read fetches the list. */
  mark(kind: ListKind): void {
    this.#lists[kind].mark();
  }

  /** The next read fetches every list. */
  markAll(): void {
    for (const list of Object.values(this.#lists)) {
      list.mark();
    }
  }

  /**
   * The list as part of a merged list. A server that is not connected adds nothing; a server that
   * is reconnecting adds its last known list.
   */
  part<K extends ListKind, T>(
    kind: K,
    name: (item: ListItems[K]) => T | undefined,
    key: (item: ListItems[K]) => string,
  ): Part<T> {
    const server = this.#server;
    const list = this.#lists[kind];
    const isThere = server.session !== undefined;
    return {
      get freshUntil() {
        return isThere ? list.freshUntil : Infinity;
      },
      read: async () => {
        try {
          const items = isThere ? await list.read() : this.#stale(kind);
          return arranged(items, name, key);
        } catch (error) {
          this.#setup.events.emit("list_failed", { server: server.name, list: kind, error });
          return arranged(this.#stale(kind), name, key);
        }
      },
    };
  }

  /**
   * Replaces a list that cannot be fetched. A server that is not reconnected any more has an empty
   * list.
   */
  #stale<K extends ListKind>(kind: K): readonly ListItems[K][] {
    const { session, state } = this.#server;
    const mayReturn = session !== undefined || state === "reconnecting";
    return mayReturn ? (this.#lists[kind].last ?? []) : [];
  }

  /** @param inspect - Called with the list before it is returned to a caller. */
  async #fetch<K extends ListKind>(
    kind: K,
    inspect?: (fetched: FetchedList<ListItems[K]>) => void,
  ): Promise<FetchedList<ListItems[K]>> {
    const { clock, limits, events } = this.#setup;
    const server = this.#server;
    const fetched = await perform(
      server,
      clock,
      {
        phase: "list",
        side: "read",
        timeoutMs: server.rules.limits.listTimeoutMs,
        isRepeatable: () => true,
        run: (session, trace, options) => fetchList(server.name, session, kind, limits, trace, options),
      },
      undefined,
    );
    inspect?.(fetched);
    if (fetched.incomplete !== undefined) {
      events.emit("list_incomplete", { server: server.name, list: kind, ...fetched.incomplete });
    }
    return fetched;
  }

  #comparePins({ items, others }: FetchedList<Tool>): void {
    const { pins, events } = this.#setup;
    const { name, rules } = this.#server;
    for (const drift of pins.check(name, items, others, rules.drift === "refuse-changed")) {
      events.emit("tool_changed", { server: name, ...drift });
    }
  }
}

/** Items in the order of their keys, under their names. */
function arranged<I, T>(
  items: readonly I[],
  name: (item: I) => T | undefined,
  key: (item: I) => string,
): readonly T[] {
  return items
    .toSorted((a, b) => (key(a) < key(b) ? -1 : key(a) > key(b) ? 1 : 0))
    .flatMap((item) => name(item) ?? []);
}
