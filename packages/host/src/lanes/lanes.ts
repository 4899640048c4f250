import { systemClock, type Clock, type ResolvedLimits } from "@tenon/base";
import type { RpcError } from "@tenon/jsonrpc2/core";
import type { ClientSession } from "@tenon/mcp";

import type { LaneCaller } from "./caller.ts";
import { guardHooks } from "./guard-hooks.ts";
import { LaneLeases, type LaneLease } from "./lane-leases.ts";
import { LaneOpener } from "./lane-opener.ts";
import { LaneTable } from "./lane-table.ts";
import { Lane, type LaneOwner } from "./lane.ts";
import type { LanesOptions } from "./lanes-options.ts";
import { readLaneLimits, type LaneLimits } from "./limits.ts";
import type { OpenCall } from "./open-call.ts";
import { Recovery } from "./recovery.ts";
import { callerError, isUnreachable, tooManyReplaced, unknownLogs } from "./refusals.ts";
import { WaitingCalls } from "./waiting-calls.ts";

const everybody: LaneCaller = { key: "everybody", session: undefined, inputs: {}, asks: "never" };

/**
 * The connections to one server, on behalf of many callers. A modern server gets one connection for
 * all callers, because its requests are independent. A legacy server gets connections for each
 * caller, because its input requests come on the connection and not in the result of a call.
 */
export class Lanes implements LaneOwner, AsyncDisposable {
  readonly #options: LanesOptions;
  /** Measures the times of the connections, and of calls on them. */
  readonly clock: Clock;
  readonly #limits: ResolvedLimits<LaneLimits>;
  readonly #table = new LaneTable();
  readonly #waiting: WaitingCalls;
  readonly #opener: LaneOpener;
  readonly #leases: LaneLeases;
  readonly #recovery: Recovery;
  #hasUnknownLogs = false;

  constructor(options: LanesOptions) {
    const guarded = guardHooks(options);
    this.#options = guarded;
    const { name, onError, clock = systemClock } = guarded;
    this.clock = clock;
    this.#recovery = new Recovery(this);
    const limits = readLaneLimits(options.limits);
    this.#limits = limits;
    this.#waiting = new WaitingCalls({ name, onError, limits, clock });
    this.#opener = new LaneOpener(options.connect, (lane) => this.#ended(lane), clock);
    this.#leases = new LaneLeases({
      options: guarded,
      limits,
      table: this.#table,
      opener: this.#opener,
      waiting: this.#waiting,
      owner: this,
    });
  }

  /** The name of the server. */
  get name(): string | undefined {
    return this.#options.name;
  }

  /** The limits, with the defaults filled in. */
  get limits(): ResolvedLimits<LaneLimits> {
    return this.#limits;
  }

  get isRelated(): boolean {
    return this.#options.related === true;
  }

  get isBorrowed(): boolean {
    return this.#options.borrowed === true;
  }

  /** How many connections are open or being opened. */
  get size(): number {
    return this.#table.size;
  }

  /** Whether a connection is open. */
  get isOpen(): boolean {
    return this.#table.open.length > 0;
  }

  /** The connection that all callers share; `undefined` if each has its own. */
  get shared(): Lane | undefined {
    return this.#table.shared;
  }

  /**
   * Opens the first connection, to learn what the server is.
   *
   * @returns Its session. It ends when the first caller needs a connection of another kind.
   * @throws The error of `connect`.
   */
  async start(): Promise<ClientSession> {
    const isForAll = this.#options.isolation === "everybody";
    if (isForAll && this.isBorrowed) {
      // A second connection would use the same session, and get the input requests of the first.
      return (await this.#leases.common(everybody)).session;
    }
    const lane = new Lane(this, isForAll ? undefined : everybody);
    await this.#opener.open(lane, () => this.#begin(lane, isForAll || lane.session.era === "modern"));
    return lane.session;
  }

  /**
   * Ends a connection with its last call and its last task. Until then it takes no place of other
   * connections. If more than `maxLanes` of such connections are needed, the oldest end at once.
   */
  retire(lane: Lane): void {
    if (this.isBorrowed) {
      // Its owner ends it.
      this.#table.remove(lane);
    } else {
      this.#table.retire(lane);
    }
    lane.retire();
    const { maxLanes } = this.#limits;
    const needed = this.#table.retired.filter(({ isNeeded }) => isNeeded);
    for (const oldest of needed.slice(0, Math.max(0, needed.length - maxLanes))) {
      void oldest.close(0, tooManyReplaced(this.name, maxLanes));
    }
    this.#waiting.wakeAll();
  }

  /**
   * Checks that the server of an open connection responds, or connects. A modern server that does
   * not respond, or did not for long, gets a new connection. Calls continue on the connection that
   * they have.
   *
   * @returns Whether there is a new connection, so that notifications may have been missed.
   * @throws The error of `connect`, or of the check.
   */
  recover(): Promise<boolean> {
    return this.#recovery.run(this.#table.open);
  }

  /**
   * Whether {@link recover}, if the server refuses a user, has not checked the connections of all
   * users. The next check uses other connections.
   */
  get hasUnchecked(): boolean {
    return this.#recovery.hasUnchecked(this.#table.open);
  }

  /** The error of a request for its caller. Notes that the server may be down. */
  failed(error: unknown): RpcError {
    if (isUnreachable(error)) {
      this.#options.onUnreachable?.(error);
    }
    return callerError(error, this.name);
  }

  /**
   * Gets a connection for a call. It belongs to the call, which must be open, until it is released.
   *
   * @throws `RpcError` `-32603` with `delivered: "no"`; `signal.reason`.
   */
  async acquire(caller: LaneCaller, signal: AbortSignal, call: OpenCall | undefined): Promise<LaneLease> {
    const { isolation } = this.#options;
    const isAlone = isolation === "call" && call !== undefined && caller.session === undefined;
    const key = isolation === "everybody" ? everybody.key : isAlone ? call.id : caller.key;
    const lease = await this.#leases.acquire({ ...caller, key }, signal, call);
    lease.lane.logs.usedBy(caller.key);
    return lease;
  }

  /**
   * The connection whose lists and resources a caller sees. It may be closed as unused at any time:
   * send requests by {@link use}.
   *
   * @throws As {@link acquire}.
   */
  async view(caller: LaneCaller, signal: AbortSignal): Promise<Lane> {
    const { lane, release } = await this.acquire(caller, signal, undefined);
    release();
    return lane;
  }

  /**
   * Runs a request on the connection whose lists and resources a caller sees. It stays open until
   * the request has ended.
   *
   * @throws As {@link acquire}; the error of `run`.
   */
  async use<T>(caller: LaneCaller, signal: AbortSignal, run: (lane: Lane) => Promise<T>): Promise<T> {
    const { lane, release } = await this.acquire(caller, signal, undefined);
    try {
      return await lane.passing(() => run(lane));
    } finally {
      release();
    }
  }

  /**
   * Keeps a connection open, for a call if there is one.
   *
   * @returns Gives it back.
   */
  hold(lane: Lane, call?: OpenCall): () => void {
    return this.#leases.hold(lane, call);
  }

  /** Keeps a connection open for a task, even if it is replaced. @returns Gives it back. */
  holdTask(lane: Lane): () => void {
    return this.#leases.holdTask(lane);
  }

  /** Ends the connections of a caller that has gone, and the calls that still run on them. */
  async drop({ key }: Pick<LaneCaller, "key">): Promise<void> {
    await this.#leases.drop(key);
  }

  /** The open connections of a caller. */
  of({ key }: Pick<LaneCaller, "key">): readonly Lane[] {
    const { shared } = this.#table;
    return shared === undefined
      ? this.#table.of(key).filter((lane) => lane.isOpen && !lane.isDead)
      : [shared];
  }

  /**
   * Ends all connections. Those that are being opened have ended too, unless `connect` takes longer
   * than 10 seconds: then they end later.
   *
   * @param drainMs - The time for running calls to finish.
   */
  async close(drainMs = 0): Promise<void> {
    await this.#opener.close(drainMs);
    this.#waiting.wakeAll();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** Called by its lanes. */
  onRelated(): void {
    this.#waiting.wakeAll();
  }

  /** Called by its lanes. */
  onAsked(): void {
    // Calls that wait can now limit their wait.
    this.#waiting.wakeAll();
  }

  /** Called by its lanes. */
  onListChanged(lane: Lane, list: "tools" | "prompts" | "resources"): void {
    this.#options.onListChanged?.(lane, list);
  }

  /** Called by its lanes. */
  onUnknownLog(): void {
    if (!this.#hasUnknownLogs) {
      this.#hasUnknownLogs = true;
      this.#options.onError?.(unknownLogs(this.name));
    }
  }

  /** Places a connection that was opened before there is a caller. */
  #begin(lane: Lane, isShared: boolean): void {
    // A server that was restarted may have had connections of the other kind.
    const replaced = this.#table.replace(isShared ? { shared: lane } : { spare: lane });
    this.#waiting.wakeAll();
    for (const before of [...replaced, ...this.#table.unused]) {
      if (!before.isDead) {
        this.retire(before);
      }
    }
  }

  #ended(lane: Lane): void {
    this.#table.remove(lane);
    this.#options.onEnd?.(lane);
    this.#waiting.wakeAll();
  }
}
