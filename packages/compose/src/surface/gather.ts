import { systemClock } from "@tenon/base";
import type { LaneCaller, ListItems, ListKind } from "@tenon/host";
import type { ServerRequest } from "@tenon/mcp/server";

import type { Part } from "./part.ts";

/** Options of {@link gather}. */
export interface GatherOptions {
  readonly callerOf: (request: ServerRequest) => LaneCaller;
  /** How long a list is waited for, in milliseconds. */
  readonly listTimeoutMs: number;
  /** Whether the known items of a source replace a list that fails. */
  readonly keepsKnown: boolean;
  /** Called with a source that failed or was late. */
  readonly onFailure: (part: Part, error: unknown) => void;
  /** Called with a source whose list came after the timeout, and is another than was used. */
  readonly onLate: (part: Part, kind: ListKind) => void;
}

/**
 * Reads a list of all parts at once. A part that is slow or down does not delay or harm the others:
 * after the timeout its known items are used. Until its list comes, later lists for the same
 * clients do not wait for it.
 *
 * @returns A list for each part, in their order.
 * @throws `signal.reason`.
 */
export async function gather<K extends ListKind>(
  kind: K,
  parts: readonly Part[],
  request: ServerRequest,
  options: GatherOptions,
): Promise<readonly (readonly ListItems[K][])[]> {
  const { callerOf, listTimeoutMs, keepsKnown, onFailure, onLate } = options;
  const lists = parts.map(({ source, known }) => {
    const items = source.current?.(kind, request);
    if (items !== undefined && known.get(kind, undefined) !== items) {
      known.set(kind, undefined, items);
    }
    return items;
  });
  if (lists.every((items) => items !== undefined)) {
    return lists;
  }
  let caller: LaneCaller | undefined;
  const audienceOf = ({ source }: Part): unknown => source.audienceOf((caller ??= callerOf(request)))?.key;
  let isOver = false;
  /** The lists that are returned. */
  let used: readonly (readonly ListItems[K][])[] = [];
  const missing = [...parts.entries()]
    .filter(([index]) => lists[index] === undefined)
    .map(([index, part]) => ({ index, part, audience: audienceOf(part) }));
  const awaited = new Set(missing.filter(({ part, audience }) => !part.known.isLate(kind, audience)));
  await new Promise<void>((resolve) => {
    const late = (): void => {
      awaited.forEach(({ part, audience }) => part.known.setLate(kind, audience, true));
      resolve();
    };
    const timer = systemClock.setTimeout(late, listTimeoutMs, true);
    const settled = (entry: (typeof missing)[number]): void => {
      entry.part.known.setLate(kind, entry.audience, false);
      awaited.delete(entry);
      resolveIfDone();
    };
    const resolveIfDone = (): void => {
      if (awaited.size === 0) {
        systemClock.clearTimeout(timer);
        resolve();
      }
    };
    for (const entry of missing) {
      const { index, part } = entry;
      part.source.list(kind, request).then(
        (items) => {
          const audience = audienceOf(part);
          if (part.known.get(kind, audience) !== items) {
            part.known.set(kind, audience, items);
          }
          lists[index] = items;
          // A source that is always slow would be announced and listed without end.
          if (isOver && !isSame(used[index] ?? [], items)) {
            onLate(part, kind);
          }
          settled(entry);
        },
        (error: unknown) => {
          if (isOver || !request.signal.aborted) {
            onFailure(part, error);
          }
          lists[index] = keepsKnown ? part.known.get(kind, audienceOf(part)) : [];
          settled(entry);
        },
      );
    }
    resolveIfDone();
  });
  request.signal.throwIfAborted();
  isOver = true;
  used = lists.map((items, index) => {
    const part = parts[index];
    return items ?? (part === undefined ? undefined : part.known.get(kind, audienceOf(part))) ?? [];
  });
  return used;
}

function isSame(known: readonly unknown[], items: readonly unknown[]): boolean {
  return known === items || JSON.stringify(known) === JSON.stringify(items);
}
