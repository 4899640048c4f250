import type { LogLimits, LogLine } from "./log.ts";

/** Lines in order, of several servers. */
export interface KeptLines {
  /** How many lines were dropped. */
  readonly dropped: number;
  /** Adds a line that is newer than all others. */
  add(line: LogLine): void;
  /** The lines after a line, at most `most`. */
  after(seq: number, most: number): LogLine[];
  line(seq: number): LogLine | undefined;
  clear(): void;
}

interface Place {
  readonly seq: number;
  /** `undefined` if it was dropped, so that its message is released. */
  line: LogLine | undefined;
}

/** The lines of one server, the oldest first. */
interface Share {
  places: Place[];
  /** The lines before this index are dropped; they are removed in bulk. */
  start: number;
  bytes: number;
}

const fewest = 1000;

/**
 * Creates an empty list. When a limit is reached, the server with the most lines, or with the most
 * bytes, loses its oldest. So a server that sends much cannot push out the lines of another.
 */
export function createKeptLines({ maxLines, maxLogBytes }: LogLimits): KeptLines {
  let places: Place[] = [];
  /** The places before this index are empty. Others between them may be, too. */
  let start = 0;
  let count = 0;
  let bytes = 0;
  let dropped = 0;
  const shares = new Map<string, Share>();

  /** The index of the first place with this number or a higher one. */
  function indexOf(seq: number): number {
    let low = start;
    let high = places.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((places[middle]?.seq ?? 0) < seq) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  function largest(sizeOf: (share: Share) => number): [string, Share] | undefined {
    let found: [string, Share] | undefined;
    for (const entry of shares) {
      found = found === undefined || sizeOf(entry[1]) > sizeOf(found[1]) ? entry : found;
    }
    return found;
  }

  function dropOne([server, share]: [string, Share]): void {
    const place = share.places[share.start++];
    const size = keptBytes(place?.line);
    if (place !== undefined) {
      place.line = undefined;
    }
    share.bytes -= size;
    bytes -= size;
    count--;
    dropped++;
    if (share.start === share.places.length) {
      shares.delete(server);
    } else if (share.start > fewest && share.start > share.places.length / 2) {
      share.places = share.places.slice(share.start);
      share.start = 0;
    }
  }

  function dropOldest(): void {
    while (count > 0 && (count > maxLines || bytes > maxLogBytes)) {
      const found = largest(
        count > maxLines ? (share) => share.places.length - share.start : (share) => share.bytes,
      );
      if (found !== undefined) {
        dropOne(found);
      }
    }
    while (start < places.length && places[start]?.line === undefined) {
      start++;
    }
    const empty = places.length - count;
    if (empty > fewest && empty > count) {
      places = places.filter(({ line }) => line !== undefined);
      start = 0;
    }
  }

  return {
    get dropped() {
      return dropped;
    },
    add(line) {
      const { seq, server = "" } = line.summary;
      const place: Place = { seq, line };
      const share = shares.get(server) ?? { places: [], start: 0, bytes: 0 };
      shares.set(server, share);
      share.places.push(place);
      places.push(place);
      const size = keptBytes(line);
      share.bytes += size;
      bytes += size;
      count++;
      dropOldest();
    },
    after(seq, most) {
      const found: LogLine[] = [];
      for (let index = indexOf(seq + 1); index < places.length && found.length < most; index++) {
        const line = places[index]?.line;
        if (line !== undefined) {
          found.push(line);
        }
      }
      return found;
    },
    line(seq) {
      const place = places[indexOf(seq)];
      return place?.seq === seq ? place.line : undefined;
    },
    clear() {
      places = [];
      shares.clear();
      start = count = bytes = 0;
    },
  };
}

function keptBytes(line: LogLine | undefined): number {
  return line === undefined ? 0 : Math.min(line.summary.bytes, line.text.length * 4);
}
