import { anySignal } from "@tenon/base";
import { ErrorCode, isRpcError, RpcError } from "@tenon/jsonrpc2/core";
import type { RequestOptions } from "@tenon/mcp";
import type { InputRequests, InputResponses } from "@tenon/protocol";

import { isFinal } from "../store/record.ts";
import { callBack } from "./call-back.ts";
import { TaskCallError } from "./error.ts";
import { untilAnswered } from "./lost.ts";
import { TaskStates } from "./states.ts";
import { failureOf, type RemoteTask } from "./task.ts";
import type { TaskWire } from "./wire.ts";
import { within } from "./within.ts";

/** The options of {@link follow}. */
export type FollowOptions = Pick<
  RequestOptions,
  "signal" | "timeoutMs" | "totalTimeoutMs" | "onProgress" | "onTask" | "cancelOnAbort" | "onInputRequired"
>;

/**
 * Follows a task until it has ended: takes the states that the server sends, and polls. The
 * client's handlers respond to its input requests.
 *
 * @param first - The task, if it was just created.
 * @returns The result of the call.
 * @throws `RpcError` of a failed task; `TaskCallError` `TASK_CANCELLED`, `TASK_LOST`;
 *   `LocalError` `TIMEOUT` after `totalTimeoutMs`; `signal.reason`; as a request that requires
 *   input.
 */
export async function follow(
  wire: TaskWire,
  id: string,
  options: FollowOptions,
  first?: RemoteTask,
): Promise<object> {
  return within(wire, id, options, (signal, giveUp) =>
    new Follower(wire, id, options, signal, giveUp).run(first),
  );
}

/** One task that is followed. */
class Follower {
  readonly #wire: TaskWire;
  readonly #id: string;
  readonly #options: FollowOptions;
  readonly #signal: AbortSignal;
  readonly #giveUp: () => void;
  readonly #states: TaskStates;
  /** The keys of the input requests that the handlers have got. */
  readonly #asked = new Set<string>();
  /** Aborts with the error of an input request that gets no response. */
  readonly #failed = new AbortController();
  /** Ends the waits for the task: for the caller or for {@link #failed}. */
  readonly #ending: AbortSignal;
  #reported = "";

  constructor(wire: TaskWire, id: string, options: FollowOptions, signal: AbortSignal, giveUp: () => void) {
    this.#wire = wire;
    this.#id = id;
    this.#options = options;
    this.#signal = signal;
    this.#ending = anySignal([signal, this.#failed.signal]);
    this.#giveUp = giveUp;
    this.#states = new TaskStates(wire, id);
  }

  async run(first: RemoteTask | undefined): Promise<object> {
    try {
      return await this.#run(first);
    } finally {
      this.#states.end();
    }
  }

  async #run(first: RemoteTask | undefined): Promise<object> {
    // The task that a call has become has no outcome, even if it has ended already.
    const known = first === undefined || isFinal(first.status) ? undefined : first;
    for (let task = known ?? (await this.#poll()); ; task = await this.#next(task)) {
      this.#report(task);
      const { status, error } = task;
      if (status === "cancelled") {
        throw new TaskCallError("TASK_CANCELLED", `The task ${this.#id} was cancelled.`);
      }
      if (status === "failed") {
        const { code, message, data } = error ?? { code: ErrorCode.InternalError, message: failureOf(task) };
        throw new RpcError(code, message, data === undefined ? {} : { data });
      }
      if (status === "completed") {
        return task.result ?? {};
      }
      this.#answer(task.inputRequests);
    }
  }

  /** Waits until the server sends a state, a poll is due, or something failed. */
  async #next(task: RemoteTask): Promise<RemoteTask> {
    return (await this.#states.next(task, this.#ending)) ?? this.#poll();
  }

  #poll(): Promise<RemoteTask> {
    const options = { signal: this.#ending, timeoutMs: this.#options.timeoutMs };
    return untilAnswered(this.#wire, this.#ending, () => this.#wire.get(this.#id, options));
  }

  #report(task: RemoteTask): void {
    const { status, statusMessage, progress, lastUpdatedAt } = task;
    const state = JSON.stringify([status, statusMessage, progress, lastUpdatedAt]);
    if (state === this.#reported) {
      return;
    }
    this.#reported = state;
    const { onTask, onProgress } = this.#options;
    const { onError } = this.#wire.host;
    callBack(() => onTask?.(task), onError);
    if (typeof progress === "object" && progress !== null && "progress" in progress) {
      const reached = { progressToken: this.#id, ...(progress as { readonly progress: number }) };
      callBack(() => onProgress?.(reached), onError);
    }
  }

  /** Passes each input request to the handlers once, and sends each response by itself. */
  #answer(requests: InputRequests): void {
    for (const [key, request] of Object.entries(requests)) {
      if (!this.#asked.has(key)) {
        this.#asked.add(key);
        this.#answerOne(key, { [key]: request }).catch((error: unknown) => {
          this.#failed.abort(error);
        });
      }
    }
  }

  async #answerOne(key: string, request: InputRequests): Promise<void> {
    const { session } = this.#wire;
    const signal = this.#signal;
    let responses: InputResponses;
    try {
      responses = await session.answerInputs(request, { signal });
    } catch (error) {
      this.#giveUp();
      throw error;
    }
    const { timeoutMs } = this.#options;
    try {
      // The user has responded, so only the server can reject the response, never the network.
      await untilAnswered(this.#wire, signal, () =>
        this.#wire.update(this.#id, { [key]: responses[key] as never }, { signal, timeoutMs }),
      );
    } catch (error) {
      if (isRpcError(error)) {
        this.#giveUp();
      }
      throw error;
    }
    this.#states.wake();
  }
}
