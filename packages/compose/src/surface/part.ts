import type { ListItems, ListKind } from "@tenon/host";

import type { ProxySource } from "../source/source.ts";
import type { Shares } from "./shares.ts";
import type { UriMap } from "./uris.ts";

/** One source of a composition, and the knowledge of the composition about it. */
export interface Part {
  /** The name of the source: a part of the names for clients. */
  readonly name: string;
  readonly source: ProxySource;
  /** The name of the source in URIs and ids. */
  readonly label: string;
  readonly uris: UriMap;
  readonly shares: Shares;
  /** The lists that were read last, by kind and audience. They replace lists that do not come. */
  readonly known: KnownParts;
}

/** Lists that were read before. */
export interface KnownParts {
  get<K extends ListKind>(kind: K, audience: unknown): readonly ListItems[K][] | undefined;
  set(kind: ListKind, audience: unknown, items: readonly unknown[]): void;
  /** Whether a list has not come in time, and is still awaited. */
  isLate(kind: ListKind, audience: unknown): boolean;
  setLate(kind: ListKind, audience: unknown, isLate: boolean): void;
}

/** Maximum number of audiences of a kind of list that are remembered for one source. */
const maxKnown = 256;

/** Creates the memory of the lists of one source. */
export function createKnownParts(): KnownParts {
  const kinds = new Map<ListKind, Map<unknown, readonly unknown[]>>();
  const late = new Map<ListKind, Set<unknown>>();
  return {
    get: (kind, audience) => kinds.get(kind)?.get(audience) as readonly never[] | undefined,
    set(kind, audience, items) {
      const lists = kinds.get(kind) ?? new Map<unknown, readonly unknown[]>();
      kinds.set(kind, lists);
      lists.delete(audience);
      lists.set(audience, items);
      const [oldest] = lists.keys();
      if (lists.size > maxKnown) {
        lists.delete(oldest);
      }
    },
    isLate: (kind, audience) => late.get(kind)?.has(audience) === true,
    setLate(kind, audience, isLate) {
      const audiences = late.get(kind) ?? new Set<unknown>();
      late.set(kind, audiences);
      audiences.delete(audience);
      if (isLate) {
        audiences.add(audience);
      }
      const [oldest] = audiences;
      if (audiences.size > maxKnown) {
        audiences.delete(oldest);
      }
    },
  };
}
