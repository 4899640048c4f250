import type { Clock, ResolvedLimits } from "@tenon/base";

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

/** Calls that wait for a connection, in their order. */
export class WaitingCalls {
  readonly #options: WaitingOptions;
  #wakes: (() => void)[] = [];

  constructor(options: WaitingOptions) {
    this.#options = options;
  }

  /**
   * Waits until a connection may have become free.
   *
   * @param lanes - The connections that could become free.
   * @throws `RpcError` `-32603` if too many calls wait; `signal.reason`.
   */
  wait(signal: AbortSignal, lanes: readonly Lane[]): Promise<void> {
    const { maxWaiting } = this.#options.limits;
    if (this.#wakes.length >= maxWaiting) {
      const message = `Too many calls wait for the server: the limit is ${maxWaiting} (maxWaiting).`;
      return Promise.reject(notSent(message));
    }
    const ms = this.#makeWay(lanes);
    return this.#turn(signal, ms === 0 ? Infinity : ms);
  }

  /** Wakes all calls, since each may wait for another connection. */
  wakeAll(): void {
    [...this.#wakes].forEach((wake) => wake());
  }

  #turn(signal: AbortSignal, maxMs: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const end = (settle: () => void) => (): void => {
        this.#options.clock.clearTimeout(timer);
        signal.removeEventListener("abort", abort);
        this.#wakes = this.#wakes.filter((each) => each !== wake);
        settle();
      };
      const wake = end(resolve);
      const abort = end(() => reject(signal.reason));
      const timer = maxMs < Infinity ? this.#options.clock.setTimeout(wake, maxMs, true) : undefined;
      this.#wakes.push(wake);
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
