import type { Summary } from "../wire/summary.ts";

/** The size to which the longest lists must shrink to lose `count` items together. */
function sizeAfter(sizes: Iterable<number>, count: number): number {
  const sorted = [...sizes].toSorted((one, other) => other - one);
  let sum = 0;
  for (const [index, size] of sorted.entries()) {
    sum += size;
    const rest = Math.floor((sum - count) / (index + 1));
    if (rest >= (sorted[index + 1] ?? 0)) {
      return Math.max(0, rest);
    }
  }
  return 0;
}

/** How many lines each server has. */
function sizesOf(lines: readonly Summary[]): Map<string | undefined, number> {
  const sizes = new Map<string | undefined, number>();
  // Lines of a server mostly follow each other, and this is done for all lines.
  let start = 0;
  for (let index = 1; index <= lines.length; index++) {
    const server = lines[start]?.server;
    if (index === lines.length || lines[index]?.server !== server) {
      sizes.set(server, (sizes.get(server) ?? 0) + index - start);
      start = index;
    }
  }
  return sizes;
}

/**
 * Removes lines, about `count`, from a list in order. The servers with the most lines lose their
 * oldest, as in the log of the inspector: a server that sends much cannot push out the lines of
 * another.
 *
 * @returns The removed lines, in order.
 */
export function dropOldest(lines: Summary[], count: number): readonly Summary[] {
  const left = sizesOf(lines);
  const most = sizeAfter(left.values(), count);
  let all = 0;
  for (const [server, size] of left) {
    const above = Math.max(0, size - most);
    left.set(server, above);
    all += above;
  }
  const dropped: Summary[] = [];
  let kept = 0;
  for (const line of lines) {
    if (dropped.length === all) {
      break;
    }
    const above = left.get(line.server) ?? 0;
    if (above > 0) {
      left.set(line.server, above - 1);
      dropped.push(line);
    } else {
      lines[kept++] = line;
    }
  }
  lines.splice(kept, dropped.length);
  return dropped;
}
