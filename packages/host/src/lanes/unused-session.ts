import type { LaneCaller } from "./caller.ts";
import type { Lane } from "./lane.ts";
import { unusedSince } from "./session-use.ts";

/** The reason to end a session. */
interface Demand {
  /** The caller that needs a connection. */
  readonly caller: LaneCaller;
  readonly now: number;
  readonly idleMs: number;
}

/**
 * Returns the connection of a legacy session that may be ended for another caller: the session has
 * been unused for `idleMs`, or is unused and of {@link largestPrincipal}. The session that has been
 * unused for longest comes first.
 *
 * Only sessions with an ID are found: their clients are notified of the end by the next response,
 * and initialize a new session.
 *
 * @param lanes - The connections of all callers.
 * @source
 */
export function findUnused(lanes: readonly Lane[], { caller, now, idleMs }: Demand): Lane | undefined {
  const largest = largestPrincipal(lanes, caller);
  let found: { readonly lane: Lane; readonly since: number } | undefined;
  for (const lane of lanes) {
    const { session, owner } = lane.caller ?? {};
    const isIdle = session?.id !== undefined && lane.isIdle && lane.isOpen && !lane.isDead;
    const since = isIdle ? unusedSince(session, now) : undefined;
    if (
      since !== undefined &&
      (now - since >= idleMs || (largest !== undefined && owner === largest)) &&
      (found === undefined || since < found.since)
    ) {
      found = { lane, since };
    }
  }
  return found?.lane;
}

/**
 * Returns the principal with most connections, if it has more than the caller would have with
 * another connection. Connections that cannot be ended for others are not counted.
 */
export function largestPrincipal(lanes: readonly Lane[], { owner, key }: LaneCaller): unknown {
  const counts = new Map<unknown, number>();
  for (const { caller } of lanes) {
    if (caller !== undefined && (caller.session === undefined || caller.session.id !== undefined)) {
      const each = caller.owner ?? caller.key;
      counts.set(each, (counts.get(each) ?? 0) + 1);
    }
  }
  const own = (counts.get(owner ?? key) ?? 0) + 1;
  const most = Math.max(0, ...counts.values());
  return most > own ? [...counts].find(([, count]) => count === most)?.[0] : undefined;
}
