import type { Clock } from "@tenon/base";
import { ErrorCode, RpcError } from "@tenon/jsonrpc2/core";
import type { Client, ClientRequest, ClientSession, RequestOptions } from "@tenon/mcp";

import type { LaneCaller } from "./caller.ts";
import { CancelledRequests } from "./cancelled-requests.ts";
import { beginLane, endLane, hasLaneEnded } from "./lane-end.ts";
import { LaneLogs } from "./lane-logs.ts";
import { LaneRoots } from "./lane-roots.ts";
import { laneSetup, type LaneSetup } from "./lane-setup.ts";
import type { OpenCall } from "./open-call.ts";
import { noCaller } from "./refusals.ts";
import { onSessionEnd } from "./session-end.ts";
import { relatedTaskOf } from "./tasks.ts";

/** The dependencies of a lane. */
export interface LaneOwner {
  readonly clock: Clock;
  /** Whether the connection tells for which request a server requests input. */
  readonly isRelated: boolean;
  /** Whether the lanes leave the sessions open when they close. */
  readonly isBorrowed: boolean;
  /** Called when a connection names the requests or tasks for which the server requests input. */
  onRelated(): void;
  /** Called when the server has requested input. */
  onAsked(): void;
  /** Called for each log message that could belong to several clients. */
  onUnknownLog(): void;
  onListChanged(lane: Lane, list: "tools" | "prompts" | "resources"): void;
}

/**
 * One connection to a server, with the calls that run on it. An input request of the server goes to
 * the client of the call that caused it.
 */
export class Lane {
  /** Differs from the connections of other processes, too. */
  readonly id: string = crypto.randomUUID();
  /** The caller that owns the connection; `undefined` if all callers share it. */
  caller: LaneCaller | undefined;
  readonly calls: Set<OpenCall> = new Set();
  /** The log messages of the server. */
  readonly logs: LaneLogs;
  readonly #owner: LaneOwner;
  #session: ClientSession | undefined;
  /** The client of the connection. It is set before it connects. */
  #client: Client | undefined;
  #isDead = false;
  /** Ends the wait for the end of the session. */
  #forget: () => void = () => {};
  #isClosing = false;
  #wasLost = false;
  #isRetired = false;
  /** How many requests run that are not among the calls. */
  #passing = 0;
  #hasRelated = false;
  /** Whether the server has requested input, other than roots. */
  #hasAsked = false;
  readonly #cancelled: CancelledRequests;
  /** Whether the input requests of tasks have named them, which the protocol requires. */
  #namesTasks = false;
  readonly #roots: LaneRoots;
  /** The users of the lane besides its calls, such as watches. */
  users = 0;
  /** How many of the users are tasks that a client refers to. */
  tasks = 0;
  idleTimer: unknown;

  constructor(owner: LaneOwner, caller: LaneCaller | undefined) {
    this.#owner = owner;
    this.#cancelled = new CancelledRequests(owner.clock);
    this.#roots = new LaneRoots(this, owner.clock);
    this.caller = caller;
    beginLane(this);
    // The owner of a borrowed connection uses it too.
    this.logs = new LaneLogs(owner.isBorrowed, () => owner.onUnknownLog());
  }

  /** The session with the server. @throws `RpcError` before the lane is open. */
  get session(): ClientSession {
    if (this.#session === undefined) {
      throw new RpcError(ErrorCode.InternalError, "Cannot use the session: the server is not connected.");
    }
    return this.#session;
  }

  /** Whether the connection was opened. */
  get isOpen(): boolean {
    return this.#session !== undefined;
  }

  /** Whether the connection has ended, or was replaced. */
  get isDead(): boolean {
    return this.#isDead;
  }

  /** Whether the connection has ended. A replaced one still serves its calls and tasks. */
  get isEnded(): boolean {
    return this.#isClosing || this.#session?.isClosed !== false;
  }

  /** Whether the connection has ended, and was not closed here. */
  get wasLost(): boolean {
    return this.#wasLost;
  }

  /** Whether no more calls may be added without waiting. */
  get isLeased(): boolean {
    return this.#untold.length > 0 && this.#mayMix;
  }

  /**
   * Whether the server requests input, and may still do so for a cancelled call of another caller.
   */
  isSpoiltFor(call: OpenCall): boolean {
    return this.#hasAsked && this.#mayBeOfOther(call);
  }

  /** Whether an input request may belong to a call of another caller that has ended. */
  #mayBeOfOther({ caller: { key } }: OpenCall): boolean {
    return this.#mayMix && this.#cancelled.hasOther(key);
  }

  /** Whether input requests need not name their call, and the lane may have several clients. */
  get #mayMix(): boolean {
    return this.caller?.session === undefined && !this.#isRelated && this.#mayRequestInput;
  }

  /** The calls whose input requests do not name their call. */
  get #untold(): readonly OpenCall[] {
    return [...this.calls].filter(({ task }) => task === undefined || !this.#namesTasks);
  }

  /** Whether each input request names its call, as far as the connection has shown. */
  get #isRelated(): boolean {
    return this.#owner.isRelated || this.#hasRelated;
  }

  /**
   * A server to which nothing was declared may not request input, so its calls may run together.
   */
  get #mayRequestInput(): boolean {
    if (!this.#owner.isBorrowed) {
      return true;
    }
    const { elicitation, sampling, roots } = this.#session?.declaredCapabilities ?? { roots: {} };
    return elicitation !== undefined || sampling !== undefined || roots !== undefined;
  }

  /** Whether nothing uses the connection. */
  get isIdle(): boolean {
    return this.calls.size === 0 && this.users === 0;
  }

  /** Whether a call runs on the connection. */
  get isBusy(): boolean {
    return this.calls.size + this.#passing > 0;
  }

  /** The requirements on the client. */
  get setup(): LaneSetup {
    const receiver = {
      prepared: (client: Client): void => {
        this.#client = client;
      },
      asked: (request: ClientRequest): Promise<unknown> => this.#asked(request),
      logged: (request: ClientRequest): void => this.logs.pass(request, this.caller?.session),
      listChanged: (list: "tools" | "prompts" | "resources"): void => this.#owner.onListChanged(this, list),
    };
    return laneSetup(receiver, this.caller?.inputs);
  }

  /** Opens the connection. @throws The error of `connect`, when all that it opened is closed. */
  async open(connect: (setup: LaneSetup) => Promise<ClientSession>): Promise<void> {
    try {
      this.#session = await connect(this.setup);
    } catch (error) {
      await this.#endOpening();
      throw error;
    }
    this.#forget = onSessionEnd(this.#session, () => this.#end(!this.#isDead));
    if (this.#isDead) {
      // It was no longer wanted.
      await this.close();
    }
  }

  #end(wasLost: boolean): void {
    this.#forget();
    this.#wasLost = wasLost;
    this.#isDead = true;
    this.#roots.given();
    endLane(this);
  }

  /** Adds a call. Input requests that waited for one are sent. */
  add(call: OpenCall): void {
    this.calls.add(call);
    this.#roots.callAdded();
  }

  /** Notes that a call waits for the result of a task. */
  follow(call: OpenCall, taskId: string): void {
    call.task = taskId;
    if (this.#namesTasks) {
      this.#owner.onRelated();
    }
  }

  /** Sends a request of a call to a legacy server. It is noted if it is cancelled. */
  async request(
    { caller: { key } }: Pick<OpenCall, "caller">,
    method: string,
    params: object,
    options: RequestOptions & { readonly signal: AbortSignal },
  ): Promise<object> {
    return this.#mayMix
      ? this.#cancelled.send(this.session, key, { method, params }, options)
      : this.session.request(method as "tools/call", params as never, options);
  }

  /**
   * Resolves when the first call may be sent: a server that requests the roots of its client does
   * so first, and would not know them in the call.
   */
  settled(waitMs: number): Promise<void> {
    return this.#session?.era === "legacy" ? this.#roots.settled(waitMs) : Promise.resolve();
  }

  /** Runs a request that requires no place among the calls. */
  async passing<T>(run: () => Promise<T>): Promise<T> {
    this.#passing++;
    try {
      return await run();
    } finally {
      this.#passing--;
      this.endIfRetired();
    }
  }

  /** Whether the connection stays open after it was replaced. */
  get isNeeded(): boolean {
    return this.isBusy || this.tasks > 0;
  }

  /** Refuses further calls, and ends the connection with the last call and the last task. */
  retire(): void {
    this.#isDead = true;
    this.#isRetired = true;
    this.endIfRetired();
  }

  /** Called when a call has ended, or the connection of a task was returned. */
  endIfRetired(): void {
    if (this.#isRetired && !this.isNeeded) {
      void this.close();
    }
  }

  /**
   * Ends the connection. If it is being opened, that ends later: see {@link open}.
   *
   * @param drainMs - The time for running calls to finish.
   * @param reason - The error of the calls that still run. Default: a lost connection.
   */
  async close(drainMs = 0, reason?: RpcError): Promise<void> {
    this.#isDead = true;
    this.#isClosing = true;
    this.#owner.clock.clearTimeout(this.idleTimer);
    if (this.#session === undefined) {
      void this.#endOpening();
    } else if (!this.#owner.isBorrowed) {
      await this.#session.close({ drainMs, reason });
    } else if (!hasLaneEnded(this)) {
      // The session may last longer, and would keep the lane in memory.
      this.#end(false);
    }
  }

  /** Ends the attempt to connect of a connection that is no longer wanted. */
  async #endOpening(): Promise<void> {
    if (this.#isDead && !this.#owner.isBorrowed) {
      // The attempt reports its error.
      await this.#client?.close().catch(() => {});
    }
  }

  /** An input request of a legacy server. */
  async #asked({ method, params, signal, relatedTo }: ClientRequest): Promise<unknown> {
    const question = { method, params, signal };
    if (relatedTo !== undefined && this.#owner.isBorrowed && !this.#hasRelated) {
      this.#hasRelated = true;
      this.#owner.onRelated();
    }
    const taskId = relatedTaskOf(params);
    const call =
      (taskId !== undefined ? this.#ownerOfTask(taskId) : undefined) ?? this.#ownerOf(relatedTo, taskId);
    if (method !== "roots/list") {
      this.#hasAsked = true;
      const answer = call === undefined ? Promise.reject(noCaller(method)) : call.ask(question);
      this.#owner.onAsked();
      return answer;
    }
    return this.#roots.ask(question, call);
  }

  /**
   * The call of the task that an input request names. A client that has lost the connection of one
   * call waits by another call.
   */
  #ownerOfTask(taskId: string): OpenCall | undefined {
    const call = [...this.calls].findLast(({ task }) => task === taskId);
    if (call !== undefined && !this.#namesTasks) {
      this.#namesTasks = true;
      this.#owner.onRelated();
    }
    return call;
  }

  /**
   * The call that an input request belongs to. If the connection does not name it: the only call on
   * the lane, or any call if the lane has a single client. If the input request contains a task ID
   * and no call waits for this task, another client may own it. The same is true of a call that
   * was cancelled a short time ago and got no response.
   */
  #ownerOf(relatedTo: ClientRequest["relatedTo"], taskId: string | undefined): OpenCall | undefined {
    if (relatedTo !== undefined) {
      return [...this.calls].find(({ sent }) => sent.has(relatedTo));
    }
    const calls = this.#untold;
    const isOneClient = this.caller?.session !== undefined;
    if (taskId !== undefined && !isOneClient) {
      return undefined;
    }
    const call = this.#isRelated || (calls.length > 1 && !isOneClient) ? undefined : calls.at(-1);
    return call !== undefined && this.#mayBeOfOther(call) ? undefined : call;
  }
}
