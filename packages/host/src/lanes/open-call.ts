import { anySignal, type Clock } from "@tenon/base";
import { ErrorCode, RpcError, type RequestId } from "@tenon/jsonrpc2/core";
import type { ServerRequest } from "@tenon/mcp";

import { canProvide, type LaneCaller } from "./caller.ts";
import { noCaller } from "./refusals.ts";
import { relatedTaskOf, withRelatedTask } from "./tasks.ts";

/** An input request of the server, unchanged. */
export interface Question {
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly signal: AbortSignal;
}

/** An input request that waits for the response of a modern client. */
interface Pending extends Question {
  readonly resolve: (answer: unknown) => void;
  readonly reject: (reason: unknown) => void;
}

/** The end of a call. */
export type Outcome = { readonly result: object } | { readonly error: unknown };

/** The result of a round of a modern client. */
export type Said = Outcome | { readonly questions: ReadonlyMap<string, Question> };

/**
 * One request to a legacy server, from its start to its end. For a modern client that is as many
 * rounds as the server has input requests: the request runs on between them, and every round
 * attaches to it.
 */
export class OpenCall {
  readonly id: string;
  readonly caller: LaneCaller;
  /** The ids under which the request was sent to the server. */
  readonly sent: Set<RequestId> = new Set();
  /** The task, by its id at the server, for whose result the call waits. */
  task: string | undefined;
  /** Aborts the request at the server. */
  readonly stop: AbortController = new AbortController();
  readonly #maxInputs: number;
  readonly #clock: Clock;
  /** By key. Keys are never reused, so a repeated round has no effect. */
  readonly #questions = new Map<string, Pending>();
  #request: ServerRequest;
  #outcome: Outcome | undefined;
  #count = 0;
  /** How many input requests wait for responses, and since when any does. */
  #asked = 0;
  #askedSince = 0;
  #rounds = 0;
  /** Wakes the rounds that wait. */
  #wake: (() => void)[] = [];

  constructor(
    id: string,
    caller: LaneCaller,
    request: ServerRequest,
    { maxInputs, clock }: { readonly maxInputs: number; readonly clock: Clock },
  ) {
    this.id = id;
    this.caller = caller;
    this.#request = request;
    this.#maxInputs = maxInputs;
    this.#clock = clock;
  }

  /** The request of the last round. */
  get request(): ServerRequest {
    return this.#request;
  }

  /** Whether the call has ended. */
  get isOver(): boolean {
    return this.#outcome !== undefined;
  }

  /** Since when the server waits for input, in milliseconds by the clock. */
  get waitsSince(): number | undefined {
    return this.#asked === 0 ? undefined : this.#askedSince;
  }

  /** Sends an input request to the client of the call. @returns The response, unchanged. */
  ask({ method, params: given, signal }: Question): Promise<unknown> {
    // A client that follows the task knows it by another id, and other clients know none.
    const isFollowed = this.#request.method === "tasks/result" && relatedTaskOf(given) === this.task;
    const known = isFollowed ? this.#request.params["taskId"] : undefined;
    const params = withRelatedTask(given, typeof known === "string" ? known : undefined);
    const { asks, inputs } = this.caller;
    if (this.isOver || this.stop.signal.aborted || asks === "never") {
      return Promise.reject(noCaller(method));
    }
    if (!canProvide(inputs, method, params)) {
      const message = `Cannot send ${method}: the client of this call has not declared the capability for it.`;
      return Promise.reject(new RpcError(ErrorCode.InternalError, message));
    }
    if (asks === "requests") {
      // When the call ends, its client closes the form.
      const either = anySignal([signal, this.stop.signal]);
      return this.#while(
        this.#request.call(method as "ping", params as never, { signal: either, timeoutMs: Infinity }),
      );
    }
    if (this.#questions.size >= this.#maxInputs) {
      const message = `A call may request ${this.#maxInputs} inputs at a time (maxInputs).`;
      return Promise.reject(new RpcError(ErrorCode.InternalError, message));
    }
    return this.#while(this.#hold({ method, params, signal }));
  }

  /** Notes that the server waits, until there is a response. */
  async #while<T>(answer: Promise<T>): Promise<T> {
    if (this.#asked++ === 0) {
      this.#askedSince = this.#clock.now();
    }
    try {
      return await answer;
    } finally {
      this.#asked--;
    }
  }

  #hold(question: Question): Promise<unknown> {
    const key = `q${++this.#count}`;
    const { signal } = question;
    return new Promise((resolve, reject) => {
      const takeBack = (): void => {
        this.#questions.delete(key);
        reject(signal.reason);
        this.#tell();
      };
      const settled = <T>(settle: (value: T) => void) => {
        return (value: T): void => {
          signal.removeEventListener("abort", takeBack);
          settle(value);
        };
      };
      this.#questions.set(key, { ...question, resolve: settled(resolve), reject: settled(reject) });
      signal.addEventListener("abort", takeBack, { once: true });
      // Input requests of one turn are sent together.
      setTimeout(() => this.#tell(), 0);
    });
  }

  /** Resolves the input requests that wait for the responses of a round. */
  answer(responses: Readonly<Record<string, unknown>>): void {
    for (const [key, answer] of Object.entries(responses)) {
      const question = this.#questions.get(key);
      this.#questions.delete(key);
      question?.resolve(answer);
    }
  }

  /** Ends the call. The input requests that wait are of no use any more. */
  settle(outcome: Outcome): void {
    this.#outcome ??= outcome;
    for (const { method, reject } of this.#questions.values()) {
      reject(noCaller(method));
    }
    this.#questions.clear();
    this.stop.abort(noCaller("an input request"));
    this.#tell();
  }

  /**
   * Waits for the result of a round: the end, or input requests. If the client gives up the round,
   * the call is aborted.
   */
  async next(request: ServerRequest): Promise<Said> {
    this.#request = request;
    this.#rounds++;
    const gaveUp = (): void => this.#tell();
    request.signal.addEventListener("abort", gaveUp, { once: true });
    try {
      for (;;) {
        request.signal.throwIfAborted();
        if (this.#outcome !== undefined) {
          return this.#outcome;
        }
        if (this.#questions.size > 0) {
          return { questions: new Map(this.#questions) };
        }
        await new Promise<void>((resolve) => {
          this.#wake.push(resolve);
        });
      }
    } catch (error) {
      // Another round of the same client may wait for the same outcome.
      if (this.#rounds === 1) {
        this.stop.abort(error);
      }
      throw error;
    } finally {
      this.#rounds--;
      request.signal.removeEventListener("abort", gaveUp);
    }
  }

  /**
   * Returns the input requests. If there are none, it waits for one, or for the end of the call.
   *
   * @param waitMs - The maximum time to wait, in milliseconds.
   */
  async pending(waitMs: number): Promise<ReadonlyMap<string, Question>> {
    if (this.#questions.size === 0 && !this.isOver) {
      await new Promise<void>((resolve) => {
        const wake = (): void => {
          this.#clock.clearTimeout(timer);
          this.#wake = this.#wake.filter((one) => one !== wake);
          resolve();
        };
        const timer = this.#clock.setTimeout(wake, waitMs, true);
        this.#wake.push(wake);
      });
    }
    return new Map(this.#questions);
  }

  #tell(): void {
    this.#wake.splice(0).forEach((wake) => wake());
  }
}
