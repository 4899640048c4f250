import {
  backoff,
  quotedMessage,
  systemClock as clock,
  unlessAborted,
  type ResolvedLimits,
} from "@tenon/base";
import type { RpcError } from "@tenon/jsonrpc2/core";
import type { ClientSession, ServerSession } from "@tenon/mcp";

import type { LaneCaller } from "./caller.ts";
import { Lane, type LaneOwner } from "./lane.ts";
import type { LanesOptions } from "./lanes-options.ts";
import { readLaneLimits, type LaneLimits } from "./limits.ts";
import type { OpenCall } from "./open-call.ts";
import { Recovery } from "./recovery.ts";
import {
  callerError,
  gaveWay,
  isRefusal,
  isUnreachable,
  notSent,
  unknownLogs,
  unreachable,
} from "./refusals.ts";
import { longestAsking, WaitingCalls } from "./waiting-calls.ts";

/** A connection, and what gives it back. */
export interface LaneLease {
  readonly lane: Lane;
  /** Returns the connection. */
  release(): void;
}

const everybody: LaneCaller = { key: "everybody", session: undefined, inputs: {}, asks: "never" };

/**
 * The connections to one server, on behalf of many callers. A modern server gets one connection for
 * all callers, because its requests are independent. A legacy server gets connections for each
 * caller, because its input requests come on the connection and not in the result of a call.
 */
export class Lanes implements LaneOwner, AsyncDisposable {
  readonly #options: LanesOptions;
  readonly #limits: ResolvedLimits<LaneLimits>;
  readonly #lanes = new Map<unknown, Lane[]>();
  readonly #opening = new WeakMap<Lane, Promise<void>>();
  /** The legacy sessions whose end is awaited: once, however often their connections break. */
  readonly #followed = new WeakSet<ServerSession>();
  /** Opened at the start, before there is a caller. */
  #spare: Lane | undefined;
  #shared: Lane | undefined;
  readonly #waiting = new WaitingCalls();
  /** They were replaced, and end with their last call. */
  readonly #retired = new Set<Lane>();
  readonly #recovery = new Recovery(this);
  #failures = 0;
  /** The error of the last attempt to connect. */
  #failure: unknown;
  #retryAt = 0;
  #replacing: Promise<void> | undefined;
  #isClosed = false;
  #hasUnknownLogs = false;

  constructor(options: LanesOptions) {
    this.#options = options;
    this.#limits = readLaneLimits(options.limits);
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
    const own = [...this.#lanes.values()].reduce((sum, of) => sum + of.length, 0);
    return own + [this.#spare, this.#shared].filter((lane) => lane !== undefined).length;
  }

  /** Whether a connection is open. */
  get isOpen(): boolean {
    return this.#open.length > 0;
  }

  get #open(): readonly Lane[] {
    const all = [this.#shared, this.#spare, ...[...this.#lanes.values()].flat()];
    return all.filter((lane) => lane !== undefined).filter((lane) => lane.isOpen && !lane.isDead);
  }

  /** The connection that all callers share; `undefined` if each has its own. */
  get shared(): Lane | undefined {
    return this.#shared?.isDead === false ? this.#shared : undefined;
  }

  /**
   * Opens the first connection, to learn what the server is.
   *
   * @returns Its session. It ends when the first caller needs a connection of another kind.
   * @throws The error of `connect`.
   */
  async start(): Promise<ClientSession> {
    const isForAll = this.#options.isolation === "everybody";
    const lane = new Lane(this, isForAll ? undefined : everybody);
    await this.#connect(lane);
    const isShared = isForAll || lane.session.era === "modern";
    // A server that was restarted may have had connections of the other kind.
    const replaced = [this.#shared, this.#spare];
    this.#shared = undefined;
    this.#spare = isShared ? undefined : lane;
    if (isShared) {
      this.#share(lane);
    }
    for (const before of replaced) {
      if (before?.isDead === false) {
        this.retire(before);
      }
    }
    return lane.session;
  }

  /** Ends a connection with its last call. Until then it takes no place of other connections. */
  retire(lane: Lane): void {
    this.#retired.add(lane);
    this.#forget(lane);
    this.#spare = this.#spare === lane ? undefined : this.#spare;
    this.#shared = this.#shared === lane ? undefined : this.#shared;
    lane.retire();
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
    return this.#recovery.run(this.#open);
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
    const lease = await this.#acquire({ ...caller, key }, signal, call);
    lease.lane.logs.usedBy(caller.key);
    return lease;
  }

  /**
   * The connection whose lists and resources a caller sees.
   *
   * @throws As {@link acquire}.
   */
  async view(caller: LaneCaller, signal: AbortSignal): Promise<Lane> {
    const { lane, release } = await this.acquire(caller, signal, undefined);
    release();
    return lane;
  }

  /**
   * Keeps a connection open, for a call if there is one.
   *
   * @returns Gives it back.
   */
  hold(lane: Lane, call?: OpenCall): () => void {
    clock.clearTimeout(lane.idleTimer);
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

  /** Ends the connections of a caller that has gone. */
  async drop({ key }: Pick<LaneCaller, "key">): Promise<void> {
    const lanes = this.#lanes.get(key) ?? [];
    this.#lanes.delete(key);
    await Promise.allSettled(lanes.map((lane) => lane.close()));
  }

  /** The open connections of a caller. */
  of({ key }: Pick<LaneCaller, "key">): readonly Lane[] {
    const own = (this.#lanes.get(key) ?? []).filter((lane) => lane.isOpen && !lane.isDead);
    return this.shared === undefined ? own : [this.shared];
  }

  /** Ends all connections. @param drainMs - The time for running calls to finish. */
  async close(drainMs = 0): Promise<void> {
    this.#isClosed = true;
    const all = [...[...this.#lanes.values()].flat(), ...this.#retired, this.#spare, this.#shared];
    await Promise.allSettled(all.flatMap((lane) => (lane === undefined ? [] : [lane.close(drainMs)])));
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

  async #acquire(caller: LaneCaller, signal: AbortSignal, call: OpenCall | undefined): Promise<LaneLease> {
    for (;;) {
      if (this.#replacing !== undefined) {
        await unlessAborted(this.#replacing, signal);
      }
      signal.throwIfAborted();
      this.#expectOpen();
      const found = this.#shared?.isDead === false ? this.#shared : this.#free(caller, call);
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
      if (found !== undefined && !(call !== undefined && this.#mustWait(found))) {
        return this.#lease(found, call, signal);
      }
      const mayOpen = (): boolean => (this.#lanes.get(caller.key) ?? []).length < this.#most(caller);
      if (found === undefined && mayOpen()) {
        await this.#makeRoom(caller, signal);
        // Another call may have opened a connection.
        if (this.shared === undefined && this.#free(caller, call) === undefined && mayOpen()) {
          return this.#lease(this.#add(caller), call, signal);
        }
        continue;
      }
      await this.#wait(
        signal,
        this.shared === undefined ? (this.#lanes.get(caller.key) ?? []) : [this.shared],
      );
    }
  }

  /** Whether a call needs a new connection, because a shared one refuses its input requests. */
  #mustReplace(lane: Lane, call: OpenCall): boolean {
    const mayReplace = !this.isBorrowed && this.#options.connectsOnce !== true;
    return mayReplace && lane === this.#shared && lane.isIdle && lane.isSpoiltFor(call);
  }

  /** A shared connection to a legacy server carries one call at a time, if it cannot tell more. */
  #mustWait(lane: Lane): boolean {
    return lane.isLeased && (lane !== this.#shared || !lane.isOpen || lane.session.era === "legacy");
  }

  #most({ session }: LaneCaller): number {
    const isOne = session !== undefined || this.isRelated || this.#options.isolation === "everybody";
    return isOne ? 1 : this.#limits.maxPerCaller;
  }

  #free({ key }: LaneCaller, call: OpenCall | undefined): Lane | undefined {
    return (this.#lanes.get(key) ?? []).find(
      (lane) => !lane.isDead && (call === undefined || !lane.isLeased),
    );
  }

  async #lease(lane: Lane, call: OpenCall | undefined, signal: AbortSignal): Promise<LaneLease> {
    const release = this.hold(lane, call);
    try {
      await unlessAborted(this.#opening.get(lane) ?? Promise.resolve(), signal);
    } catch (error) {
      release();
      signal.throwIfAborted();
      if (!isRefusal(error)) {
        this.#options.onUnreachable?.(error);
      }
      throw unreachable(this.name, error);
    }
    return { lane, release };
  }

  #released(lane: Lane, wasCall: boolean): void {
    const isOfSession = lane.caller?.session !== undefined;
    lane.endIfRetired();
    if (lane.isIdle && lane !== this.#shared && lane !== this.#spare) {
      if (!isOfSession && wasCall && this.#options.isolation === "call") {
        this.#end(lane);
      } else if (!isOfSession) {
        lane.idleTimer = clock.setTimeout(() => lane.isIdle && this.#end(lane), this.#limits.idleMs, false);
      }
    }
    this.#waiting.wakeAll();
  }

  #end(lane: Lane): void {
    this.#forget(lane);
    void lane.close();
  }

  /** Closes what is idle until there is room for another connection. */
  async #makeRoom({ inputs }: LaneCaller, signal: AbortSignal): Promise<void> {
    const spare = this.#spare;
    if (spare !== undefined && !(Object.keys(inputs).length === 0 && !spare.isDead)) {
      // The next connection may need what this one holds, such as the lock of a file.
      this.#spare = undefined;
      await unlessAborted(spare.close(), signal);
    }
    while (this.size >= this.#limits.maxLanes && this.#spare === undefined) {
      const closable = [...this.#lanes.values()].flat().filter((lane) => lane.caller?.session === undefined);
      const idle = closable.find((lane) => lane.isIdle);
      if (idle !== undefined) {
        this.#end(idle);
      } else if (
        closable.some(({ calls }) => [...calls].some(({ waitsSince }) => waitsSince !== undefined))
      ) {
        await this.#wait(signal, closable);
      } else {
        throw notSent(
          `Too many connections to the server: the limit is ${this.#limits.maxLanes} (maxLanes).`,
        );
      }
    }
  }

  #add(caller: LaneCaller): Lane {
    const spare = this.#spare;
    this.#spare = undefined;
    const lane = spare ?? new Lane(this, this.#options.isolation === "everybody" ? undefined : caller);
    if (spare !== undefined) {
      spare.caller = caller;
    }
    this.#lanes.set(caller.key, [...(this.#lanes.get(caller.key) ?? []), lane]);
    this.#follow(caller);
    if (spare === undefined) {
      const opening = this.#connect(lane).then(() => this.#promote(lane));
      this.#opening.set(lane, opening);
      opening.catch(() => this.#forget(lane));
    }
    return lane;
  }

  /** Ends the connections of a legacy session with it. Those that all callers use continue. */
  #follow({ key, session }: LaneCaller): void {
    if (session !== undefined && session === key && !this.#followed.has(session)) {
      this.#followed.add(session);
      void session.closed.then(() => this.drop({ key }));
    }
  }

  /** Shares a connection that is modern, or that all callers use. */
  #promote(lane: Lane): void {
    if (this.shared === undefined && (lane.caller === undefined || lane.session.era === "modern")) {
      this.#forget(lane);
      this.#share(lane);
    }
  }

  #share(lane: Lane): void {
    lane.caller = undefined;
    this.#shared = lane;
    this.#waiting.wakeAll();
  }

  async #connect(lane: Lane): Promise<void> {
    this.#expectOpen();
    if (performance.now() < this.#retryAt) {
      const why = quotedMessage(this.#failure);
      const message = `it failed to connect a moment ago, and is left alone for a while. ${why}`;
      throw new Error(message, { cause: this.#failure });
    }
    try {
      await lane.open(this.#options.connect);
      this.#failures = 0;
    } catch (error) {
      this.#failure = error;
      this.#retryAt =
        performance.now() + backoff(this.#failures++, { initialDelayMs: 100, maxDelayMs: 10_000 });
      throw error;
    }
    if (this.#isClosed) {
      void lane.close();
      this.#expectOpen();
    }
    void lane.session.closed.then(() => {
      this.#forget(lane);
      this.#retired.delete(lane);
      this.#spare = this.#spare === lane ? undefined : this.#spare;
      this.#shared = this.#shared === lane ? undefined : this.#shared;
      this.#options.onEnd?.(lane);
      this.#waiting.wakeAll();
    });
  }

  #expectOpen(): void {
    if (this.#isClosed) {
      throw notSent("Cannot connect to the server: the proxy was closed.");
    }
  }

  #forget(lane: Lane): void {
    const key = [...this.#lanes].find(([, of]) => of.includes(lane))?.[0];
    const rest = (this.#lanes.get(key) ?? []).filter((each) => each !== lane);
    if (rest.length === 0) {
      this.#lanes.delete(key);
    } else {
      this.#lanes.set(key, rest);
    }
    this.#waiting.wakeAll();
  }

  /** @param lanes - The connections that could become free. */
  #wait(signal: AbortSignal, lanes: readonly Lane[]): Promise<void> {
    if (this.#waiting.size >= this.#limits.maxWaiting) {
      const message = `Too many calls wait for the server: the limit is ${this.#limits.maxWaiting} (maxWaiting).`;
      return Promise.reject(notSent(message));
    }
    const ms = this.#makeWay(lanes);
    return this.#waiting.wait(signal, ms === 0 ? Infinity : ms);
  }

  /**
   * Ends the call that waits longest for input of its client, if it waits for too long, because the
   * client may have disconnected.
   *
   * @returns The time until a call has to give way, in milliseconds. 0 if one does now.
   */
  #makeWay(lanes: readonly Lane[]): number {
    const { giveWayMs } = this.#limits;
    const oldest = longestAsking(lanes);
    const left = (oldest?.waitsSince ?? Infinity) + giveWayMs - performance.now();
    if (oldest === undefined || left > 0) {
      return left;
    }
    const error = gaveWay(this.name, giveWayMs);
    oldest.stop.abort(error);
    this.#options.onError?.(error);
    return 0;
  }
}
