import type { Clock, ResolvedLimits } from "@tenon/base";

import type { LaneCaller } from "./caller.ts";
import { lengthOf, KeptOutcomes } from "./kept-outcomes.ts";
import type { LaneLimits } from "./limits.ts";
import { oldestOfLargest } from "./oldest-of-largest.ts";
import type { OpenCall, Outcome } from "./open-call.ts";
import { callLost } from "./refusals.ts";

/** The end of a call that has waited for a round. */
export interface EndedCall {
  readonly outcome: Outcome;
  readonly caller: LaneCaller;
}

/** The calls that wait for the next round of a modern client. */
export class HeldCalls {
  readonly #limits: ResolvedLimits<LaneLimits>;
  readonly #clock: Clock;
  readonly #held = new Map<string, { readonly call: OpenCall; readonly timer: unknown }>();
  /** The outcomes of calls that have waited for a round. A round may arrive twice. */
  readonly #ended: KeptOutcomes<EndedCall>;

  constructor(limits: ResolvedLimits<LaneLimits>, clock: Clock) {
    this.#limits = limits;
    this.#clock = clock;
    this.#ended = new KeptOutcomes({ limits, clock });
  }

  /** How many calls are held, and outcomes kept. */
  get size(): number {
    return this.#held.size + this.#ended.size;
  }

  /** A call that waits for a round, or has one. */
  get(id: string): OpenCall | undefined {
    return this.#held.get(id)?.call;
  }

  /** The end of a call that has waited for a round. */
  ended(id: string): EndedCall | undefined {
    return this.#ended.get(id);
  }

  /** Holds a call until its next round. @throws `RpcError` if too many calls wait. */
  hold(call: OpenCall): void {
    if (!this.#held.has(call.id)) {
      this.#makeRoom(call);
    }
    this.resume(call.id);
    const giveUp = (): void => {
      this.#held.delete(call.id);
      call.stop.abort(callLost(`No response within ${this.#limits.holdMs} ms (holdMs).`));
    };
    const timer = this.#clock.setTimeout(giveUp, this.#limits.holdMs, false);
    this.#held.set(call.id, { call, timer });
  }

  /** Notes that a call has a round. The server may take longer than a client may. */
  resume(id: string): void {
    this.#clock.clearTimeout(this.#held.get(id)?.timer);
  }

  /** Notes the end of a call. Its outcome is kept if it has waited for a round. */
  end(call: OpenCall, outcome: Outcome): void {
    const { id, caller } = call;
    if (this.#held.has(id)) {
      this.#remove(id);
      const { holdMs, keepMs } = this.#limits;
      const length = lengthOf("result" in outcome ? outcome.result : outcome.error);
      // The next round may be the first to be sent the outcome.
      const ms = call.stop.signal.aborted ? keepMs : holdMs;
      this.#ended.keep(id, { outcome, caller }, { owner: ownerOf(call), length, ms });
    }
  }

  /** Notes that a client was sent the outcome of a call. */
  told(id: string): void {
    this.#ended.restart(id, this.#limits.keepMs);
  }

  /** Cancels all calls. */
  close(): void {
    for (const [id, { call }] of this.#held) {
      this.#remove(id);
      call.stop.abort(callLost("Call lost: the proxy was closed."));
    }
    this.#ended.clear();
  }

  /**
   * Finds room for another call. If there is none, the oldest call of another caller that has more
   * is ended, or else the new call.
   */
  #makeRoom(call: OpenCall): void {
    const { maxHeld } = this.#limits;
    if (this.#held.size < maxHeld) {
      return;
    }
    const all = [call, ...[...this.#held.values()].map((held) => held.call)];
    const ended = oldestOfLargest(all.map((each) => [each, ownerOf(each)] as const)) ?? call;
    const error = callLost(`Too many calls wait for input: the limit is ${maxHeld} (maxHeld).`);
    ended.stop.abort(error);
    if (ended === call) {
      throw error;
    }
    this.#remove(ended.id);
  }

  #remove(id: string): void {
    this.resume(id);
    this.#held.delete(id);
  }
}

/** The sender of a call, whatever capabilities it declares. */
function ownerOf({ caller: { owner, key } }: OpenCall): unknown {
  return owner ?? key;
}
