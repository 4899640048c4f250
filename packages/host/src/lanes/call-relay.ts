import { isRecord, systemClock, unlessAborted, type Clock, type ResolvedLimits } from "@tenon/base";
import { ErrorCode, isLocalError, isRpcError, RpcError } from "@tenon/jsonrpc2/core";
import {
  inputRequired,
  type ChangeReceiver,
  type RequestOptions,
  type ServerRequest,
  type ServerSession,
} from "@tenon/mcp";
import { eraOf, MetaKey } from "@tenon/protocol";

import { Callers, canProvide, type LaneCaller } from "./caller.ts";
import type { ForwardOptions } from "./forward-options.ts";
import { HeldCalls, type EndedCall } from "./held-calls.ts";
import type { Lane } from "./lane.ts";
import type { Lanes } from "./lanes.ts";
import { readLaneLimits, type LaneLimits } from "./limits.ts";
import { callAsLegacy, passOn, progressOf, type PassedState, type Target } from "./modern-source.ts";
import { OpenCall, type Outcome } from "./open-call.ts";
import { pagesOf } from "./pages.ts";
import { forwardedParams } from "./params.ts";
import { afterEffects, callLost, notSent, unreachable } from "./refusals.ts";
import { beginUse, expectTask } from "./session-use.ts";
import { heldFor, legacyTaskOf, taskOption, withRelatedTask } from "./tasks.ts";
import { untilAnswered } from "./until-answered.ts";

/** Options of {@link CallRelay}. */
export interface CallRelayOptions {
  /** Numbers and times that are not exceeded. Each limit has its own default. */
  readonly limits?: LaneLimits | undefined;
  /** The clock. Tests pass a virtual clock. By default the clock of the platform. */
  readonly clock?: Clock | undefined;
}

/** The sealed state of a round of a modern client. */
interface RoundState {
  /** A call that runs on in the memory of the proxy. */
  readonly hold?: string;
  readonly pass?: PassedState;
  /** Pages that the user had to open before the server runs the request. */
  readonly pages?: number;
}

/**
 * Sends requests of the clients of a proxy to servers, for every pair of protocol versions. A
 * request runs at most once, and its input requests reach its own client or no client.
 *
 * - A modern server keeps nothing: its input requests and its state go to the client and back. A
 *   legacy client gets requests instead.
 * - A legacy server waits for responses: its call stays open between the rounds of a modern client,
 *   in the memory of the proxy.
 */
export class CallRelay implements AsyncDisposable {
  readonly #callers = new Callers();
  readonly #limits: ResolvedLimits<LaneLimits>;
  readonly #clock: Clock;
  readonly #logLevels = new WeakMap<ServerSession, unknown>();
  readonly #held: HeldCalls;

  /** Creates a relay without calls. @throws `TypeError` for limits that make no sense. */
  constructor(options: CallRelayOptions = {}) {
    this.#limits = readLaneLimits(options.limits);
    this.#clock = options.clock ?? systemClock;
    this.#held = new HeldCalls(this.#limits, this.#clock);
  }

  /** How many calls are held, and outcomes kept. */
  get size(): number {
    return this.#held.size;
  }

  /** The sender of a request, as lanes distinguish them. */
  callerOf(request: ServerRequest): LaneCaller {
    return this.#callers.of(request);
  }

  /** The client of a legacy session, as lanes distinguish them. */
  callerOfSession(session: ServerSession): LaneCaller {
    return this.#callers.ofSession(session);
  }

  /** The client that may be notified of a change, as lanes distinguish them. */
  callerOfReceiver({ session, request }: ChangeReceiver): LaneCaller | undefined {
    return request !== undefined
      ? this.callerOf(request)
      : session === undefined
        ? undefined
        : this.callerOfSession(session);
  }

  /** The name of the server that required input in an earlier round of a request. */
  serverOf({ requestState }: ServerRequest): string | undefined {
    const pass: unknown = isRecord(requestState) ? requestState["pass"] : undefined;
    return isRecord(pass) && typeof pass["server"] === "string" ? pass["server"] : undefined;
  }

  /**
   * Sends a request that a receiving middleware got to a server: `tools/call`, `prompts/get` or
   * `resources/read`.
   *
   * @param params - Default: the params of the request. `_meta`, responses and state between client
   *   and proxy are replaced.
   * @param method - Default: the method of the request. A call may read a resource, for example.
   * @returns What the middleware must return: the result, or what `inputRequired` returned. The
   *   result is a task only if the client takes tasks.
   * @throws `RpcError`: the error of the server. `-32603` with `data.delivered` `no` if it was not
   *   sent, and with the reason `call-lost` if its result is lost. `-32602` for a round of another
   *   caller. `signal.reason`.
   */
  async forward(
    request: ServerRequest,
    lanes: Lanes,
    params: Readonly<Record<string, unknown>> = request.params,
    method: string = request.method,
    options: ForwardOptions = {},
  ): Promise<object> {
    // The request may have been cancelled while middleware was busy with it.
    request.signal.throwIfAborted();
    const caller = this.callerOf(request);
    const target: Target = { method, params: forwardedParams(request, params), ...options };
    const state: RoundState =
      caller.asks === "results" && isRecord(request.requestState) ? request.requestState : {};
    if (state.hold !== undefined) {
      return this.#resume(request, caller, state.hold);
    }
    if (state.pages !== undefined) {
      checkOpened(request);
    }
    const { shared } = lanes;
    if (shared?.isOpen === true && shared.session.era === "modern") {
      const endUse = beginUse(caller, () => lanes.clock.now());
      const sent = shared.passing(() =>
        caller.asks === "results"
          ? passOn(request, caller, shared, lanes, target, state.pass)
          : callAsLegacy(request, caller, shared, lanes, target, this.#logLevelOf(request)),
      );
      return sent.finally(endUse);
    }
    const call = new OpenCall(crypto.randomUUID(), caller, request, {
      maxInputs: this.#limits.maxInputs,
      clock: lanes.clock,
    });
    const isModern = caller.asks === "results";
    if (!isModern) {
      // A modern client gives up a round, and not the call.
      const { signal } = request;
      signal.addEventListener("abort", () => call.stop.abort(signal.reason), { once: true });
    }
    const running = this.#run(call, lanes, target, call.stop.signal, state);
    running.then(
      (result) => this.#end(call, { result }),
      (error: unknown) => this.#end(call, { error }),
    );
    return isModern ? this.#tell(call, request) : running;
  }

  /**
   * Notes that a request or a subscription of a legacy session runs, which may reach no server. A
   * session that is used does not end for other clients (see `maxLanes`).
   *
   * @returns Notes its end.
   */
  beginUse(session: ServerSession): () => void {
    return beginUse({ session }, () => this.#clock.now());
  }

  /** Notes the level of log messages that a legacy client wants. */
  setLogLevel(session: ServerSession, level: unknown): void {
    this.#logLevels.set(session, level);
  }

  #logLevelOf({ revision, meta, session }: ServerRequest): unknown {
    return eraOf(revision) === "modern" ? meta[MetaKey.logLevel] : session && this.#logLevels.get(session);
  }

  /** Cancels all calls that are held. */
  close(): Promise<void> {
    this.#held.close();
    return Promise.resolve();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** Runs a request, from the wait for a connection to its result. */
  async #run(
    call: OpenCall,
    lanes: Lanes,
    target: Target,
    signal: AbortSignal,
    state: RoundState,
  ): Promise<object> {
    const { caller, request } = call;
    const { lane, release } = await lanes.acquire(caller, signal, call);
    try {
      if (lane.session.era === "modern") {
        return caller.asks === "results"
          ? await passOn(request, caller, lane, lanes, target, state.pass)
          : await callAsLegacy(request, caller, lane, lanes, target, this.#logLevelOf(request));
      }
      // The user may never send the roots.
      await unlessAborted(lane.settled(lanes.limits.rootsWaitMs), signal);
      await lane.logs.want(this.#logLevelOf(request), lane.session, signal);
      return await this.#sendToLegacy(call, lane, target, signal);
    } catch (error) {
      signal.throwIfAborted();
      const failure = lanes.failed(error);
      const isUnsent = lane.session.era === "legacy" && call.sent.size === 0;
      if (isUnsent && isLocalError(error, "CONNECTION_CLOSED")) {
        throw unreachable(lanes.name, error);
      }
      throw call.task !== undefined && target.method === "tools/call" ? afterEffects(failure) : failure;
    } finally {
      release();
    }
  }

  async #sendToLegacy(call: OpenCall, lane: Lane, target: Target, signal: AbortSignal): Promise<object> {
    const { caller } = call;
    const { task: choice } = target;
    const send = (
      method: string,
      params: object,
      limits: Omit<RequestOptions, "signal"> = {},
    ): Promise<object> =>
      lane.logs.during({ key: caller.key, request: () => call.request }, (onId) =>
        lane.request(call, method, params, {
          signal,
          onId: (id) => {
            call.sent.add(id);
            onId(id);
          },
          // It also keeps a slow call alive.
          ...progressOf(() => call.request),
          ...limits,
        }),
      );
    if (target.method === "tasks/result") {
      lane.follow(call, String((target.params as { readonly taskId?: unknown }).taskId));
    }
    const params = choice === undefined ? target.params : { ...target.params, task: {} };
    const ask = (): Promise<object> => send(target.method, params, taskOption(lane.session, target, true));
    const waiting = { signal, clock: this.#clock };
    const result = target.method === "tasks/result" ? await untilAnswered(ask, waiting) : await ask();
    const task = legacyTaskOf(result);
    if (task === undefined) {
      return result;
    }
    if (choice === undefined) {
      expectTask(caller, this.#clock.now() + heldFor(task, this.#limits.holdMs));
      return result;
    }
    if (typeof choice === "function") {
      return choice(lane, task);
    }
    const { taskId } = task;
    lane.follow(call, taskId);
    try {
      const limits = { timeoutMs: Infinity, totalTimeoutMs: Infinity };
      const outcome = await untilAnswered(() => send("tasks/result", { taskId }, limits), waiting);
      return withRelatedTask({ ...outcome }, undefined);
    } catch (error) {
      if (signal.aborted) {
        lane.session.request("tasks/cancel", { taskId }).catch(() => {});
      }
      throw error;
    }
  }

  /** Waits for the result of a round of a modern client. */
  async #tell(call: OpenCall, request: ServerRequest): Promise<object> {
    const said = await call.next(request);
    if ("questions" in said && call.isOver) {
      return this.#tell(call, request);
    }
    if ("questions" in said) {
      this.#held.hold(call);
      const questions = [...said.questions].map(([key, { method, params }]) => [key, { method, params }]);
      return inputRequired({
        inputRequests: Object.fromEntries(questions) as never,
        requestState: { hold: call.id },
      });
    }
    return this.#tellEnd(call.id, { outcome: said, caller: call.caller });
  }

  #tellEnd(id: string, { outcome, caller }: EndedCall): object {
    this.#held.told(id);
    if ("result" in outcome) {
      return outcome.result;
    }
    const pages = isRpcError(outcome.error) ? pagesOf(outcome.error) : undefined;
    if (pages === undefined || !canProvide(caller.inputs, "elicitation/create", { mode: "url" })) {
      throw outcome.error;
    }
    // The server refused the request before it ran, and asks to send it again.
    return inputRequired({ inputRequests: pages as never, requestState: { pages: 1 } });
  }

  #end(call: OpenCall, outcome: Outcome): void {
    this.#held.end(call, outcome);
    call.settle(outcome);
  }

  async #resume(request: ServerRequest, caller: LaneCaller, id: string): Promise<object> {
    const call = this.#held.get(id);
    const ended = this.#held.ended(id);
    const owner = call?.caller ?? ended?.caller;
    if (owner === undefined) {
      throw callLost("No open call waits for this input: its process ended, or it waited too long.");
    }
    if (owner.key !== caller.key) {
      throw new RpcError(ErrorCode.InvalidParams, "Another caller started this call.");
    }
    if (call === undefined) {
      return this.#tellEnd(id, ended as EndedCall);
    }
    this.#held.resume(id);
    call.answer(request.inputResponses ?? {});
    return this.#tell(call, request);
  }
}

function checkOpened({ inputResponses }: ServerRequest): void {
  const answers: readonly unknown[] = Object.values(inputResponses ?? {});
  if (!answers.every((answer) => isRecord(answer) && answer["action"] === "accept")) {
    throw notSent("The user did not agree to open the page that the server requires.");
  }
}
