import type { ListKind } from "@tenon/host";

/** Remembers merged lists, so that an unchanged list is the same array again. */
export interface Merging {
  /** The lists in one. @param shown - Converts the list of a part. */
  merged(
    kind: ListKind,
    lists: readonly (readonly unknown[])[],
    shown: (items: readonly unknown[], index: number) => readonly unknown[],
  ): readonly unknown[];
}

/**
 * Maximum number of merged lists of one kind that are remembered: clients may see different ones.
 */
const maxKept = 16;

interface Kept {
  readonly lists: readonly (readonly unknown[])[];
  readonly merged: readonly unknown[];
}

/** Creates a memory without lists. */
export function createMerging(): Merging {
  const kept = new Map<ListKind, Kept[]>();
  return {
    merged(kind, lists, shown) {
      const all = kept.get(kind) ?? [];
      kept.set(kind, all);
      const known = all.find((each) => isSame(each.lists, lists));
      if (known !== undefined) {
        return known.merged;
      }
      const merged = lists.flatMap((items, index) => shown(items, index));
      all.unshift({ lists, merged });
      all.length = Math.min(all.length, maxKept);
      return merged;
    },
  };
}

function isSame(one: readonly unknown[], other: readonly unknown[]): boolean {
  return one.length === other.length && one.every((list, index) => list === other[index]);
}
