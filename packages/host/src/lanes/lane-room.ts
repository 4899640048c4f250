import { unlessAborted, type Clock, type ResolvedLimits } from "@tenon/base";

import type { LaneCaller } from "./caller.ts";
import type { LaneTable } from "./lane-table.ts";
import type { Lane } from "./lane.ts";
import type { LaneLimits } from "./limits.ts";
import { notSent } from "./refusals.ts";
import { onRested } from "./session-use.ts";
import { findUnused, largestPrincipal } from "./unused-session.ts";
import type { WaitingCalls } from "./waiting-calls.ts";

/** The dependencies of {@link LaneRoom}. */
interface RoomSetup {
  readonly limits: ResolvedLimits<LaneLimits>;
  readonly table: LaneTable;
  readonly waiting: WaitingCalls;
  readonly clock: Clock;
  /** Ends a connection that is idle. */
  end(lane: Lane): void;
}

/** The room for connections to one server. */
export class LaneRoom {
  readonly #setup: RoomSetup;

  constructor(setup: RoomSetup) {
    this.#setup = setup;
  }

  /** Whether a caller can get another connection now. */
  has(caller: LaneCaller): boolean {
    const { spare, size } = this.#setup.table;
    if (this.#crowdOf(caller) !== undefined) {
      return false;
    }
    return spare === undefined ? size < this.#setup.limits.maxLanes : isFor(spare, caller);
  }

  /**
   * Closes what is idle until there is room for another connection, or all callers share one.
   *
   * @throws `RpcError` `-32603` with `delivered: "no"`; `signal.reason`.
   */
  async make(caller: LaneCaller, signal: AbortSignal): Promise<void> {
    const { table, waiting, end, limits, clock } = this.#setup;
    const until = clock.now() + limits.giveWayMs;
    for (;;) {
      const { spare } = table;
      if (spare !== undefined && !isFor(spare, caller)) {
        // The next connection may need what this one holds, such as the lock of a file.
        table.spare = undefined;
        await unlessAborted(spare.close(), signal);
        continue;
      }
      if (table.shared !== undefined || this.has(caller)) {
        return;
      }
      const owned = this.#crowdOf(caller);
      const closable = owned ?? table.own.filter((lane) => lane.caller?.session === undefined);
      const idle = closable.find((lane) => lane.isIdle);
      const unused = idle === undefined && owned === undefined ? this.#unused(caller) : undefined;
      if (idle !== undefined) {
        end(idle);
      } else if (unused !== undefined) {
        // Its server may keep state for the client, which learns of the loss by a new session.
        void unused.caller?.session?.close();
        end(unused);
      } else if (this.#mayGetRoom(owned, closable)) {
        await waiting.wait(caller, signal, closable);
      } else if (owned === undefined && (await this.#sessionRests(caller, signal, until))) {
        continue;
      } else {
        throw this.#tooMany(owned !== undefined);
      }
    }
  }

  /** Whether a connection may become free soon. */
  #mayGetRoom(owned: readonly Lane[] | undefined, closable: readonly Lane[]): boolean {
    const { own } = this.#setup.table;
    return (
      owned?.some(({ isBusy }) => isBusy) === true ||
      // A connection that opens may turn out to be for all callers.
      own.some(({ isOpen }) => !isOpen) ||
      closable.some(({ calls }) => [...calls].some(({ waitsSince }) => waitsSince !== undefined))
    );
  }

  /**
   * Waits until a session of the principal with most connections may be unused, which other servers
   * decide too. It does not wait for long: the session may have a subscription, or wait itself for
   * a session of this caller.
   *
   * @returns Whether it has waited.
   */
  async #sessionRests(caller: LaneCaller, signal: AbortSignal, until: number): Promise<boolean> {
    const { table, waiting, clock } = this.#setup;
    const largest = largestPrincipal(table.own, caller);
    const maxMs = until - clock.now();
    if (largest === undefined || maxMs <= 0) {
      return false;
    }
    const sessions = new Set(
      table.own.flatMap(({ caller: of }) =>
        of?.session !== undefined && of.owner === largest ? [of.session] : [],
      ),
    );
    const ends = [...sessions].map((session) => onRested(session, () => waiting.wakeAll()));
    try {
      await waiting.wait(caller, signal, [], { maxMs });
    } finally {
      ends.forEach((stop) => stop());
    }
    return true;
  }

  #tooMany(isOfCaller: boolean): Error {
    const { maxLanes, maxPerCaller } = this.#setup.limits;
    return isOfCaller
      ? notSent(
          `Too many connections of this caller to the server: the limit is ${maxPerCaller} (maxPerCaller).`,
        )
      : notSent(`Too many connections to the server: the limit is ${maxLanes} (maxLanes).`);
  }

  #unused(caller: LaneCaller): Lane | undefined {
    const { table, limits, clock } = this.#setup;
    return findUnused(table.own, { caller, now: clock.now(), idleMs: limits.idleMs });
  }

  /**
   * The connections of the sender of a request, with any capabilities, if it has `maxPerCaller` of
   * them. The sessions of a legacy client have limits of their own.
   */
  #crowdOf({ owner, session }: LaneCaller): readonly Lane[] | undefined {
    const { table, limits } = this.#setup;
    const owned =
      owner === undefined || session !== undefined
        ? []
        : table.own.filter(({ caller }) => caller?.session === undefined && caller?.owner === owner);
    return owned.length < limits.maxPerCaller ? undefined : owned;
  }
}

/** Whether a caller can use a connection to which no input was declared. */
function isFor(spare: Lane, { inputs }: LaneCaller): boolean {
  return Object.keys(inputs).length === 0 && !spare.isDead;
}
