import type { Clock } from "@tenon/base";
import { ErrorCode, LocalError, RpcError } from "@tenon/jsonrpc2/core";
import type { InputRequests, InputResponses } from "@tenon/protocol";

import { isMcpError, McpError } from "../../../../base/error.ts";
import { quiet } from "../../../../base/values.ts";
import { type Input, type InputOptions } from "../../../../request/input.ts";
import { isInputRequired, type InputRequired } from "../../../../request/server/input-required.ts";
import type { Interaction, InteractionService } from "../../../../request/server/interaction.ts";
import type { InnerServerRequest } from "../../../../request/server/request.ts";
import { InputKeys } from "../keys.ts";
import { requireCapability } from "../require.ts";
import { checkStepResult } from "../step-result.ts";
import { fingerprint } from "./fingerprint.ts";
import { changed, contextOf, sealerOf, type Resumed } from "./resume.ts";
import { encodeState, type Asked, type InteractionState } from "./state.ts";
import { Suspension } from "./suspension.ts";

/**
 * An input request that waits until the end of the turn, to be sent with the others of the turn.
 */
interface Waiting {
  readonly key: string;
  readonly fingerprint: string;
  readonly input: Input<unknown>;
  readonly reject: (reason: unknown) => void;
  /** Stops listening to the signal of the input request. */
  readonly release: (() => void) | undefined;
}

/**
 * Requests input in the result of the client's request, for modern clients, and runs the handler
 * again when the client sends the responses. One object represents one run.
 *
 * - Input requests of the same turn are sent together. One macrotask after the first of them the
 *   run is suspended: its promises reject with {@link Suspension}, and further actions of the
 *   handler have no effect on the result.
 * - Running steps finish first, so that their results are stored.
 * - If the client responded to a different input request under this key, the run ends with
 *   `-32602`.
 */
export class InteractionByResults implements Interaction {
  readonly #request: InnerServerRequest;
  readonly #service: InteractionService;
  readonly #clock: Clock;
  readonly #state: InteractionState;
  readonly #steps: Map<string, unknown>;
  readonly #keys = new InputKeys();
  readonly #waiting: Waiting[] = [];
  readonly responses: InputResponses | undefined;
  readonly unsealedState: string | undefined;
  #runningSteps = 0;
  #turn: ReturnType<typeof setTimeout> | undefined;
  #stepWait: unknown;
  /** The reason why no more input can be requested in this run. */
  #over: { readonly reason: unknown } | undefined;
  #outcome: Promise<object> | undefined;

  /** @param request - As it came from the client, before any middleware changed it. */
  constructor(request: InnerServerRequest, service: InteractionService, resumed: Resumed) {
    this.#request = request;
    this.#service = service;
    this.#clock = request.clock;
    this.#state = resumed.state;
    this.#steps = new Map(resumed.state.steps);
    this.responses = resumed.responses;
    this.unsealedState = resumed.unsealed;
  }

  get userState(): unknown {
    return this.#state.user;
  }

  /** The result that replaces the handler's result after the run was suspended or has failed. */
  get outcome(): Promise<object> | undefined {
    return this.#outcome;
  }

  ask<T>(input: Input<T>, { key: given, signal }: InputOptions): Promise<T> {
    if (this.#over !== undefined) {
      return refused(this.#over.reason);
    }
    try {
      signal?.throwIfAborted();
      const key = this.#keys.take(input.method, given);
      const print = fingerprint(given === undefined ? [input.method, input.params] : [input.method]);
      const asked = this.#state.asked.get(key);
      if (asked !== undefined && asked.fingerprint !== print) {
        throw this.#fail(changed(key, this.#request.method, this.#service));
      }
      if (asked !== undefined && asked.answer.length === 1) {
        return Promise.resolve(this.#read(key, input, copyOf(asked.answer[0])));
      }
      return quiet(this.#wait(key, print, input, signal));
    } catch (error) {
      return refused(error);
    }
  }

  step<T>(name: string, run: () => T | Promise<T>): Promise<T> {
    return this.#over === undefined ? quiet(this.#step(name, run)) : refused(this.#over.reason);
  }

  /**
   * The result for the handler's return value, if the run was not suspended before. From then on no
   * input can be requested.
   */
  conclude(returned: unknown): unknown {
    this.#end({
      reason: new LocalError("INVALID_STATE", "Cannot request input: the request has already completed."),
    });
    return isInputRequired(returned) ? this.#explicit(returned) : returned;
  }

  #read<T>(key: string, input: Input<T>, answer: unknown): T | Promise<T> {
    const refuse = (error: unknown): never => {
      if (!isMcpError(error, "INVALID_RESULT")) {
        throw error;
      }
      throw this.#fail(
        invalid(`Invalid response to the input request ${JSON.stringify(key)}: ${error.message}`),
      );
    };
    try {
      const read = input.read(answer);
      return read instanceof Promise ? read.catch(refuse) : read;
    } catch (error) {
      return refuse(error);
    }
  }

  #wait<T>(key: string, print: string, input: Input<T>, signal: AbortSignal | undefined): Promise<T> {
    const { rules, method } = this.#request;
    if (rules.methods[method]?.inputRequired !== true) {
      const message = `Cannot request input while handling ${method} in protocol version ${rules.revision}.`;
      throw new McpError("NOT_IN_REVISION", message);
    }
    const { maxInputs } = this.#service.limits;
    if (this.#waiting.length >= maxInputs) {
      throw new LocalError(
        "LIMIT_EXCEEDED",
        `A request may ask for ${maxInputs} inputs at a time (maxInputs).`,
      );
    }
    if (this.#waiting.length === 0) {
      this.#request.signal.addEventListener("abort", this.#onAbort);
      this.#endTurnSoon();
    }
    const abort = (): void => this.#takeBack(key, signal?.reason);
    signal?.addEventListener("abort", abort, { once: true });
    const release = signal && ((): void => signal.removeEventListener("abort", abort));
    return new Promise<T>((_, reject) => {
      this.#waiting.push({ key, fingerprint: print, input, reject, release });
    });
  }

  /** Removes an input request that has not been sent, because a step is running. */
  #takeBack(key: string, reason: unknown): void {
    const index = this.#over === undefined ? this.#waiting.findIndex((each) => each.key === key) : -1;
    const [taken] = index === -1 ? [] : this.#waiting.splice(index, 1);
    if (taken !== undefined && this.#waiting.length === 0) {
      this.#request.signal.removeEventListener("abort", this.#onAbort);
      this.#stopTurn();
    }
    taken?.reject(reason);
  }

  readonly #onAbort = (): void => {
    this.#end({ reason: this.#request.signal.reason });
    this.#rejectWaiting();
  };

  async #step<T>(name: string, run: () => T | Promise<T>): Promise<T> {
    this.#keys.takeName(name, "step");
    if (this.#steps.has(name)) {
      return copyOf(this.#steps.get(name)) as T;
    }
    this.#runningSteps++;
    try {
      const value = await run();
      checkStepResult(name, value);
      this.#steps.set(name, copyOf(value));
      return value;
    } finally {
      this.#runningSteps--;
      if (this.#runningSteps === 0 && this.#waiting.length > 0 && this.#over === undefined) {
        this.#clock.clearTimeout(this.#stepWait);
        this.#stepWait = undefined;
        this.#endTurnSoon();
      }
    }
  }

  #endTurnSoon(): void {
    this.#turn ??= setTimeout(() => {
      this.#turn = undefined;
      if (this.#runningSteps === 0) {
        this.#suspend();
      } else {
        this.#stepWait ??= this.#clock.setTimeout(
          () => this.#failOnSteps(),
          this.#service.limits.stepWaitMs,
          true,
        );
      }
    }, 0);
  }

  #failOnSteps(): void {
    const ms = this.#service.limits.stepWaitMs;
    this.#fail(
      this.#limit(
        `A step was still running ${ms} ms after an input request (stepWaitMs). A step cannot request input.`,
      ),
    );
  }

  #suspend(): void {
    const asked = new Map<string, Asked>(this.#state.asked);
    for (const { key, fingerprint: print } of this.#waiting) {
      asked.set(key, { fingerprint: print, answer: [] });
    }
    const inputRequests = Object.fromEntries(
      this.#waiting.map(({ key, input: { method, params } }) => [key, { method, params }]),
    );
    this.#settle(this.#seal({ inputRequests }, asked, undefined), new Suspension());
  }

  async #explicit({ inputRequests, userState, sealed }: InputRequired): Promise<object> {
    const { rules, client } = this.#request;
    const requests = Object.entries(inputRequests ?? {});
    for (const [, request] of requests) {
      requireCapability(client.capabilities, { ...request, rules });
    }
    const asking = requests.length === 0 ? {} : { inputRequests: withParams(requests) };
    if (!sealed) {
      if (!this.#service.allowUnsealedState || typeof userState !== "string" || this.#remembers) {
        throw new McpError(
          "INVALID_DEFINITION",
          "requestState with sealed: false must be a string, requires the option allowUnsealedState, and cannot be combined with elicit, sample, listRoots or step.",
        );
      }
      return { resultType: "input_required", ...asking, requestState: userState };
    }
    return userState === undefined && requests.length > 0 && !this.#remembers
      ? { resultType: "input_required", ...asking }
      : this.#seal(asking, this.#state.asked, userState);
  }

  get #remembers(): boolean {
    return this.#state.asked.size > 0 || this.#steps.size > 0;
  }

  async #seal(asking: object, asked: ReadonlyMap<string, Asked>, user: unknown): Promise<object> {
    const { maxRounds, maxStateBytes, stateTtlMs } = this.#service.limits;
    const rounds = this.#state.rounds + 1;
    if (rounds > maxRounds) {
      throw this.#limit(`Too many rounds of input requests: the limit is ${maxRounds} (maxRounds).`);
    }
    const expires = Math.min(Date.now() + stateTtlMs, Number.MAX_SAFE_INTEGER);
    const text = encodeState({ rounds, asked, steps: this.#steps, user }, expires);
    const requestState = await sealerOf(this.#service).seal(text, contextOf(this.#request, this.#service));
    if (requestState.length > maxStateBytes) {
      throw this.#limit(
        `requestState of ${requestState.length} bytes exceeds the limit of ${maxStateBytes} bytes (maxStateBytes).`,
      );
    }
    return { resultType: "input_required", ...asking, requestState };
  }

  /**
   * The error has the same message for the client, because it contains only the client's own data.
   */
  #limit(message: string): RpcError {
    this.#service.onError(new LocalError("LIMIT_EXCEEDED", `${this.#request.method}: ${message}`));
    return new RpcError(ErrorCode.InternalError, message);
  }

  #fail(failure: RpcError): RpcError {
    this.#settle(Promise.reject(failure), failure);
    return failure;
  }

  #settle(outcome: Promise<object>, reason: unknown): void {
    this.#outcome = outcome;
    void quiet(outcome);
    this.#end({ reason });
    this.#request.onOutcome?.(outcome);
    this.#rejectWaiting();
  }

  #stopTurn(): void {
    clearTimeout(this.#turn);
    this.#turn = undefined;
    this.#clock.clearTimeout(this.#stepWait);
    this.#stepWait = undefined;
  }

  #end(over: { readonly reason: unknown }): void {
    this.#over = over;
    this.#stopTurn();
    if (this.#waiting.length > 0) {
      this.#request.signal.removeEventListener("abort", this.#onAbort);
      this.#waiting.forEach(({ release }) => release?.());
    }
  }

  #rejectWaiting(): void {
    for (const { reject } of this.#waiting) {
      reject(this.#over?.reason);
    }
  }
}

/**
 * Some clients cannot read a request without `params`, although the protocol lets it go without.
 */
function withParams(requests: readonly [string, { readonly params?: object | undefined }][]): InputRequests {
  return Object.fromEntries(
    requests.map(([key, request]) => [key, { ...request, params: request.params ?? {} }]),
  ) as InputRequests;
}

/** A copy of something JSON: the handler may change what it gets, but not what is remembered. */
function copyOf(value: unknown): unknown {
  return value === undefined ? undefined : JSON.parse(JSON.stringify(value));
}

function refused(reason: unknown): Promise<never> {
  return quiet(Promise.reject(reason));
}

function invalid(message: string): RpcError {
  return new RpcError(ErrorCode.InvalidParams, message);
}
