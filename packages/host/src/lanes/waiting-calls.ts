import type { Clock, ResolvedLimits } from "@tenon/base";

import type { LaneCaller } from "./caller.ts";
import type { Lane } from "./lane.ts";
import type { LanesOptions } from "./lanes-options.ts";
import type { LaneLimits } from "./limits.ts";
import type { OpenCall } from "./open-call.ts";
import { gaveWay, notSent } from "./refusals.ts";

/** The options of {@link WaitingCalls}. */
interface WaitingOptions extends Pick<LanesOptions, "name" | "onError"> {
  readonly limits: Pick<ResolvedLimits<LaneLimits>, "giveWayMs" | "maxWaiting">;
  readonly clock: Clock;
}

/** The wait of a call. */
interface Turn {
  /** The sender whose calls it counts among. */
  readonly owner: unknown;
  wake(): void;
  refuse(): void;
}

/** Calls that wait for a connection, in their order. */
export class WaitingCalls {
  readonly #options: WaitingOptions;
  #turns: Turn[] = [];

  constructor(options: WaitingOptions) {
    this.#options = options;
  }

  /**
   * Waits until a connection may have become free. If too many calls wait, the last one of the
   * caller with most of them is refused.
   *
   * @param lanes - The connections that could become free.
   * @param options - `maxMs`: how long it waits at most, in milliseconds. Default: `Infinity`.
   * @throws `RpcError` `-32603` if too many calls wait; `signal.reason`.
   */
  wait(
    { owner }: LaneCaller,
    signal: AbortSignal,
    lanes: readonly Lane[],
    { maxMs = Infinity }: { readonly maxMs?: number } = {},
  ): Promise<void> {
    const { maxWaiting } = this.#options.limits;
    if (this.#turns.length >= maxWaiting) {
      const last = lastOfLargest(this.#turns, owner);
      if (last === undefined) {
        return Promise.reject(this.#tooMany());
      }
      last.refuse();
    }
    const ms = this.#makeWay(lanes);
    return this.#turn(owner, signal, Math.min(maxMs, ms === 0 ? Infinity : ms));
  }

  #tooMany(): Error {
    const { maxWaiting } = this.#options.limits;
    return notSent(`Too many calls wait for the server: the limit is ${maxWaiting} (maxWaiting).`);
  }

  /** Wakes all calls, since each may wait for another connection. */
  wakeAll(): void {
    [...this.#turns].forEach((turn) => turn.wake());
  }

  #turn(owner: unknown, signal: AbortSignal, maxMs: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const end = (settle: () => void) => (): void => {
        this.#options.clock.clearTimeout(timer);
        signal.removeEventListener("abort", abort);
        this.#turns = this.#turns.filter((each) => each !== turn);
        settle();
      };
      const wake = end(resolve);
      const abort = end(() => reject(signal.reason));
      const timer = maxMs < Infinity ? this.#options.clock.setTimeout(wake, maxMs, true) : undefined;
      const turn = { owner, wake, refuse: end(() => reject(this.#tooMany())) };
      this.#turns.push(turn);
      signal.addEventListener("abort", abort, { once: true });
    });
  }

  /**
   * Ends the call that waits longest for input of its client, if it waits for too long, because the
   * client may have disconnected.
   *
   * @returns The time until a call has to give way, in milliseconds. 0 if one does now.
   */
  #makeWay(lanes: readonly Lane[]): number {
    const { name, onError, limits, clock } = this.#options;
    const oldest = longestAsking(lanes);
    const left = (oldest?.waitsSince ?? Infinity) + limits.giveWayMs - clock.now();
    if (oldest === undefined || left > 0) {
      return left;
    }
    const error = gaveWay(name, limits.giveWayMs);
    oldest.stop.abort(error);
    onError?.(error);
    return 0;
  }
}

/** The last call of the owner with most of them, if that has more than another owner. */
function lastOfLargest(turns: readonly Turn[], owner: unknown): Turn | undefined {
  const counts = new Map<unknown, number>();
  for (const turn of turns) {
    counts.set(turn.owner, (counts.get(turn.owner) ?? 0) + 1);
  }
  const most = Math.max(0, ...counts.values());
  return most > (counts.get(owner) ?? 0) + 1
    ? turns.findLast((turn) => counts.get(turn.owner) === most)
    : undefined;
}

/**
 * The call that waits longest for input of its client. None while a connection carries only calls
 * that run: it becomes free without the end of another call.
 */
function longestAsking(lanes: readonly Pick<Lane, "calls">[]): OpenCall | undefined {
  let oldest: OpenCall | undefined;
  for (const { calls } of lanes) {
    const asking = [...calls].filter(
      ({ stop, waitsSince }) => !stop.signal.aborted && waitsSince !== undefined,
    );
    if (calls.size > 0 && asking.length === 0) {
      return undefined;
    }
    for (const call of asking) {
      oldest = (call.waitsSince ?? Infinity) < (oldest?.waitsSince ?? Infinity) ? call : oldest;
    }
  }
  return oldest;
}
