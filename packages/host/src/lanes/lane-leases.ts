import { unlessAborted, type ResolvedLimits } from "@tenon/base";
import type { ServerSession } from "@tenon/mcp";

import type { LaneCaller } from "./caller.ts";
import type { LaneOpener } from "./lane-opener.ts";
import { LaneRoom } from "./lane-room.ts";
import type { LaneTable } from "./lane-table.ts";
import { Lane, type LaneOwner } from "./lane.ts";
import type { LanesOptions } from "./lanes-options.ts";
import type { LaneLimits } from "./limits.ts";
import type { OpenCall } from "./open-call.ts";
import type { RecoveryOwner } from "./recovery.ts";
import { isRefusal, notSent, unreachable } from "./refusals.ts";
import { beginUse } from "./session-use.ts";
import type { WaitingCalls } from "./waiting-calls.ts";

/** A connection, and what gives it back. */
export interface LaneLease {
  readonly lane: Lane;
  /** Returns the connection. */
  release(): void;
}

/** The dependencies of {@link LaneLeases}. */
interface LeasesSetup {
  readonly options: LanesOptions;
  readonly limits: ResolvedLimits<LaneLimits>;
  readonly table: LaneTable;
  readonly opener: LaneOpener;
  readonly waiting: WaitingCalls;
  /** The owner of new connections. It also ends those that are replaced. */
  readonly owner: LaneOwner & Pick<RecoveryOwner, "retire">;
}

/**
 * Leases the connections to one server. A caller without a free connection gets a new connection if
 * the limits allow it, or waits for one.
 */
export class LaneLeases {
  readonly #setup: LeasesSetup;
  readonly #table: LaneTable;
  readonly #room: LaneRoom;
  /** The connections that are being opened. */
  readonly #opening = new WeakMap<Lane, Promise<void>>();
  /** Whether the legacy sessions that have had connections have ended. */
  readonly #hasEnded = new WeakMap<ServerSession, boolean>();
  #replacing: Promise<void> | undefined;

  constructor(setup: LeasesSetup) {
    this.#setup = setup;
    this.#table = setup.table;
    this.#room = new LaneRoom({ ...setup, clock: setup.owner.clock, end: (lane) => this.#end(lane) });
  }

  /**
   * Gets a connection for a call, or for another request. If the connection ends before it can be
   * used, the caller gets another one, once.
   *
   * @throws `RpcError` `-32603` with `delivered: "no"`; `signal.reason`.
   */
  async acquire(caller: LaneCaller, signal: AbortSignal, call: OpenCall | undefined): Promise<LaneLease> {
    const endUse = beginUse(caller, () => this.#setup.owner.clock.now());
    try {
      const { lane, release } = await this.#acquire(caller, signal, call);
      const end = (): void => {
        endUse();
        release();
      };
      return { lane, release: end };
    } catch (error) {
      endUse();
      throw error;
    }
  }

  async #acquire(caller: LaneCaller, signal: AbortSignal, call: OpenCall | undefined): Promise<LaneLease> {
    const table = this.#table;
    for (let isSecond = false; ;) {
      if (this.#replacing !== undefined) {
        await unlessAborted(this.#replacing, signal);
      }
      signal.throwIfAborted();
      this.#setup.opener.expectOpen();
      const found = table.shared ?? this.#free(caller, call);
      if (found !== undefined && call !== undefined && this.#mustReplace(found, call)) {
        // The next connection may need what this one holds, such as the lock of a file.
        this.#replacing = found
          .close()
          .catch(() => {})
          .finally(() => {
            this.#replacing = undefined;
          });
        continue;
      }
      const mayOpen = (): boolean => table.of(caller.key).length < this.#most(caller);
      let lane = found;
      if (lane === undefined && mayOpen()) {
        this.#expectPresent(caller);
        await this.#room.make(caller, signal);
        // Another call may have opened a connection, for this caller or in its place.
        const isFree = table.shared === undefined && this.#free(caller, call) === undefined;
        if (!(isFree && mayOpen() && this.#room.has(caller))) {
          continue;
        }
        lane = this.#add(caller);
      } else if (lane === undefined || (call !== undefined && this.#mustWait(lane))) {
        await this.#setup.waiting.wait(
          caller,
          signal,
          table.shared === undefined ? table.of(caller.key) : [table.shared],
        );
        continue;
      }
      const lease = await this.#lease(lane, call, signal);
      if (!lane.isDead || isSecond) {
        return lease;
      }
      lease.release();
      isSecond = true;
    }
  }

  /**
   * The connection that all callers share, which is opened if there is none.
   *
   * @throws The error of `connect`.
   */
  async common(everybody: LaneCaller): Promise<Lane> {
    const lane = this.#table.shared ?? this.#free(everybody, undefined) ?? this.#add(everybody);
    await this.#opening.get(lane);
    return lane;
  }

  /** Keeps a connection open, for a call if there is one. @returns Gives it back. */
  hold(lane: Lane, call?: OpenCall): () => void {
    this.#setup.owner.clock.clearTimeout(lane.idleTimer);
    if (call === undefined) {
      lane.users++;
    } else {
      lane.add(call);
    }
    let isHeld = true;
    return () => {
      if (isHeld) {
        isHeld = false;
        lane.users -= call === undefined ? 1 : 0;
        if (call !== undefined) {
          lane.calls.delete(call);
        }
        this.#released(lane, call !== undefined);
      }
    };
  }

  /** Keeps a connection open for a task, even if it is replaced. @returns Gives it back. */
  holdTask(lane: Lane): () => void {
    const release = this.hold(lane);
    let isHeld = true;
    lane.tasks++;
    return () => {
      lane.tasks -= isHeld ? 1 : 0;
      isHeld = false;
      release();
    };
  }

  /** Ends the connections of a caller, and the calls that still run on them. */
  async drop(key: unknown): Promise<void> {
    await Promise.allSettled(this.#table.take(key).map((lane) => lane.close()));
  }

  /** Whether a call needs a new connection, because a shared one refuses its input requests. */
  #mustReplace(lane: Lane, call: OpenCall): boolean {
    const { borrowed, connectsOnce } = this.#setup.options;
    const mayReplace = borrowed !== true && connectsOnce !== true;
    return mayReplace && lane === this.#table.shared && lane.isIdle && lane.isSpoiltFor(call);
  }

  /** A shared connection to a legacy server carries one call at a time, if it cannot tell more. */
  #mustWait(lane: Lane): boolean {
    return lane.isLeased && (lane !== this.#table.shared || !lane.isOpen || lane.session.era === "legacy");
  }

  #most({ session }: LaneCaller): number {
    const { isolation, related } = this.#setup.options;
    const isOne = session !== undefined || related === true || isolation === "everybody";
    return isOne ? 1 : this.#setup.limits.maxPerCaller;
  }

  #free({ key }: LaneCaller, call: OpenCall | undefined): Lane | undefined {
    return this.#table.of(key).find((lane) => !lane.isDead && (call === undefined || !lane.isLeased));
  }

  async #lease(lane: Lane, call: OpenCall | undefined, signal: AbortSignal): Promise<LaneLease> {
    const { name, onUnreachable } = this.#setup.options;
    const release = this.hold(lane, call);
    const opening = this.#opening.get(lane);
    try {
      if (opening !== undefined) {
        await unlessAborted(opening, signal);
      }
    } catch (error) {
      release();
      signal.throwIfAborted();
      if (!isRefusal(error)) {
        onUnreachable?.(error);
      }
      throw unreachable(name, error);
    }
    return { lane, release };
  }

  #released(lane: Lane, wasCall: boolean): void {
    const { options, limits, waiting, owner } = this.#setup;
    const isOfSession = lane.caller?.session !== undefined;
    lane.endIfRetired();
    if (lane.isIdle && !lane.isDead && !this.#table.isCommon(lane)) {
      if (!isOfSession && wasCall && options.isolation === "call") {
        this.#end(lane);
      } else if (!isOfSession) {
        lane.idleTimer = owner.clock.setTimeout(() => lane.isIdle && this.#end(lane), limits.idleMs, false);
      }
    }
    waiting.wakeAll();
  }

  #end(lane: Lane): void {
    this.#disown(lane);
    void lane.close();
  }

  #disown(lane: Lane): void {
    this.#table.disown(lane);
    this.#setup.waiting.wakeAll();
  }

  #add(caller: LaneCaller): Lane {
    const table = this.#table;
    const { owner, opener, options } = this.#setup;
    const { spare } = table;
    table.spare = undefined;
    const lane = spare ?? new Lane(owner, options.isolation === "everybody" ? undefined : caller);
    if (spare !== undefined) {
      spare.caller = caller;
    }
    table.add(caller.key, lane);
    this.#follow(caller);
    if (spare === undefined) {
      const opening = opener.open(lane, () => this.#promote(lane));
      this.#opening.set(lane, opening);
      opening.then(
        () => this.#opening.delete(lane),
        () => this.#end(lane),
      );
    }
    return lane;
  }

  /** Ends the connections of a legacy session with it. Those that all callers use continue. */
  #follow({ key, session }: LaneCaller): void {
    if (session !== undefined && session === key && !this.#hasEnded.has(session)) {
      this.#hasEnded.set(session, false);
      void session.closed.then(() => {
        this.#hasEnded.set(session, true);
        return this.drop(key);
      });
    }
  }

  /** Checks that a legacy session has not ended. Its requests may arrive later. */
  #expectPresent({ key, session }: LaneCaller): void {
    if (session !== undefined && session === key && this.#hasEnded.get(session) === true) {
      throw notSent("Cannot connect to the server: the client has ended its session.");
    }
  }

  /** Shares a connection that is modern, or that all callers use. */
  #promote(lane: Lane): void {
    const isForAll = lane.caller === undefined || lane.session.era === "modern";
    // Its caller may have left while it opened.
    if (this.#table.shared === undefined && isForAll && !lane.isDead) {
      this.#table.disown(lane);
      this.#table.share(lane);
    }
    // Callers that came at the same time have opened others.
    this.#table.unused.forEach((each) => this.#setup.owner.retire(each));
    this.#setup.waiting.wakeAll();
  }
}
