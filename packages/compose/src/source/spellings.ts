import { canonicalUri } from "@tenon/mcp/server";

/** The spellings of URIs that a server has listed. */
export interface Spellings {
  /** Remembers the spellings of a list. */
  learn(uris: Iterable<string>): void;
  /** The spelling that the server has listed, or the URI unchanged. */
  of(uri: string): string;
}

/** Maximum number of URIs whose spelling is remembered. Older ones are forgotten. */
const maxSpellings = 10_000;

/**
 * Remembers how a server spells its URIs. A proxy gets URIs in their canonical form, and servers of
 * other makers compare them letter by letter.
 */
export function createSpellings(): Spellings {
  /** By canonical URI. Most servers list canonical URIs, which need no place. */
  const spellings = new Map<string, string>();
  return {
    learn(uris) {
      for (const uri of uris) {
        const canonical = canonicalOf(uri);
        if (canonical !== uri) {
          spellings.delete(canonical);
          spellings.set(canonical, uri);
        }
      }
      for (const canonical of spellings.keys()) {
        if (spellings.size <= maxSpellings) {
          break;
        }
        spellings.delete(canonical);
      }
    },
    of: (uri) => spellings.get(canonicalOf(uri)) ?? uri,
  };
}

/** The canonical form of a URI, or the URI itself if it has none. */
export function canonicalOf(uri: string): string {
  try {
    return canonicalUri(uri);
  } catch {
    return uri;
  }
}
