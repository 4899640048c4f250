import type { Lane } from "./lane.ts";

/** The listeners of each lane that has not ended. */
const listeners = new WeakMap<Lane, (() => void)[]>();

/** Notes a lane that has not ended. */
export function beginLane(lane: Lane): void {
  listeners.set(lane, []);
}

/** Whether {@link endLane} was called. */
export function hasLaneEnded(lane: Lane): boolean {
  return !listeners.has(lane);
}

/** Calls `listener` when a lane has ended, at the earliest after this turn. */
export function onLaneEnd(lane: Lane, listener: () => void): void {
  const all = listeners.get(lane);
  if (all === undefined) {
    queueMicrotask(listener);
  } else {
    all.push(listener);
  }
}

/** Notes that a lane has ended. */
export function endLane(lane: Lane): void {
  const all = listeners.get(lane) ?? [];
  listeners.delete(lane);
  all.forEach((listener) => listener());
}
