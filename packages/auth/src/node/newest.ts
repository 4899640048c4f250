import { keepNewest } from "../shared/keep-newest.ts";

/**
 * Remembers the newest generation that was seen of each key. An older one that comes back is a
 * copy, whose tokens were replaced.
 */
export interface Newest {
  /**
   * Returns the newest generation of a key, 0 if none was seen. Ask before the files are read: what
   * others write meanwhile may be newer than what is read.
   */
  of(key: string): number;
  /**
   * Notes a generation. Reads may end in another order than they began, so an older one changes
   * nothing.
   */
  note(key: string, generation: number): void;
  /**
   * Forgets a key without files. @param known - What {@link of} returned before the files were
   * read.
   */
  forget(key: string, known: number): void;
}

/** Maximum number of keys. Those that were used the longest time ago are forgotten. */
const maxKeys = 1000;

/** Creates a {@link Newest}. */
export function createNewest(): Newest {
  const seen = new Map<string, number>();
  const of = (key: string): number => seen.get(key) ?? 0;
  return {
    of,
    note(key, generation) {
      keepNewest(seen, key, Math.max(generation, of(key)), maxKeys);
    },
    forget(key, known) {
      if (of(key) === known) {
        seen.delete(key);
      }
    },
  };
}
