import { systemClock } from "@tenon/base";

import type { Audience, ListListener } from "../source/source.ts";
import type { Part } from "./part.ts";

/** Passes the changes of lists on, no faster than clients can read. */
export interface Changes {
  /** Announces a change. Changes of one list within the interval are one. */
  announce(part: Part, method: string, audience: Audience): void;
  /** Announces nothing any more. */
  close(): void;
}

/**
 * Maximum number of audiences whose changes are collected apart. Above it, all clients are
 * notified.
 */
const maxApart = 1000;

/** @param intervalMs - Minimum time between two announcements of one list, in milliseconds. */
export function createChanges(intervalMs: number, tell: ListListener): Changes {
  /** By part, list and audience: a timer runs, and whether there was another change since. */
  const running = new Map<string, { isPending: boolean; timer: unknown }>();
  const keys = new WeakMap<object, number>();
  let count = 0;

  function keyOf(audience: Audience): string {
    const { key } = audience ?? {};
    if (typeof key !== "object" || key === null) {
      return String(key);
    }
    const known = keys.get(key) ?? ++count;
    keys.set(key, known);
    return `session ${known}`;
  }

  function announce(part: Part, method: string, concerned: Audience): void {
    const audience = running.size < maxApart ? concerned : undefined;
    const id = JSON.stringify([part.name, method, keyOf(audience)]);
    const turn = running.get(id);
    if (turn !== undefined) {
      turn.isPending = true;
      return;
    }
    const own = { isPending: false, timer: undefined as unknown };
    running.set(id, own);
    tell({ method, origin: `${part.name} behind the composition` }, audience);
    own.timer = systemClock.setTimeout(
      () => {
        running.delete(id);
        if (own.isPending) {
          announce(part, method, audience);
        }
      },
      intervalMs,
      false,
    );
  }

  return {
    announce,
    close() {
      running.forEach(({ timer }) => systemClock.clearTimeout(timer));
      running.clear();
    },
  };
}
