import { isRecord, systemClock } from "@tenon/base";
import { ErrorCode, isRpcError } from "@tenon/jsonrpc2/core";
import type { ServerRequest } from "@tenon/mcp";

import type { CallRelay } from "./call-relay.ts";
import type { Lane } from "./lane.ts";
import type { Lanes } from "./lanes.ts";
import { OpenCall } from "./open-call.ts";
import type { TaskAnswer } from "./tasks.ts";

/** A task of a legacy server that a modern client refers to. */
interface Held {
  readonly lane: Lane;
  readonly release: () => void;
  timer?: unknown;
  /** The request for the result, on whose behalf the server requests input. */
  call?: OpenCall;
}

type Params = Readonly<Record<string, unknown>>;

/** How long a client waits for the input requests of a task at most, in milliseconds. */
const inputWaitMs = 1000;
const isFinal: ReadonlySet<unknown> = new Set(["completed", "failed", "cancelled"]);

/**
 * The tasks of a legacy server, as modern clients know them. The connection of a task stays open
 * until the task has ended: the server may be a program that ends with its connection.
 */
export class HeldTasks implements AsyncDisposable {
  readonly #relay: CallRelay;
  readonly #lanes: Lanes;
  readonly #tasks = new Map<string, Held>();

  constructor(relay: CallRelay, lanes: Lanes) {
    this.#relay = relay;
    this.#lanes = lanes;
  }

  /** Keeps the connection of a task. @returns The result of the call, for a modern client. */
  keep(lane: Lane, task: TaskAnswer): object {
    this.#hold(task.taskId, lane, this.#lanes.hold(lane), task);
    return { resultType: "task", ...modernTask(task) };
  }

  /**
   * The task, with its input requests, its result or its error.
   *
   * @throws `RpcError` of the server, such as `-32602` for an unknown task.
   */
  async get(request: ServerRequest, taskId: string): Promise<object> {
    const { lane } = await this.#place(request, taskId);
    const task = await this.#read(lane, taskId, request.signal);
    const { status } = task;
    const known = this.#tasks.get(taskId);
    if (status === "input_required" && known !== undefined) {
      return { ...modernTask(task), inputRequests: await this.#inputs(known, request, taskId) };
    }
    if (isFinal.has(status)) {
      const outcome = status === "cancelled" ? {} : await this.#outcome(lane, taskId, request.signal);
      this.#forget(taskId);
      return { ...modernTask(task), ...outcome };
    }
    return modernTask(task);
  }

  /** Passes on responses to input requests of a task. Unknown ones are ignored. */
  async update(request: ServerRequest, taskId: string, responses: unknown): Promise<object> {
    const { lane, call } = await this.#place(request, taskId);
    if (call === undefined) {
      // This throws if there is no such task.
      await this.#read(lane, taskId, request.signal);
    }
    call?.answer(isRecord(responses) ? responses : {});
    return {};
  }

  /** Cancels a task. A task that has ended does not change. */
  async cancel(request: ServerRequest, taskId: string): Promise<object> {
    const { signal } = request;
    const { lane } = await this.#place(request, taskId);
    try {
      await lane.session.request("tasks/cancel", { taskId }, { signal });
    } catch (error) {
      if (!isRpcError(error) || error.code !== ErrorCode.InvalidParams) {
        throw error;
      }
      await this.#read(lane, taskId, signal);
    }
    return {};
  }

  /** Returns all connections. */
  [Symbol.asyncDispose](): Promise<void> {
    [...this.#tasks.keys()].forEach((taskId) => this.#forget(taskId));
    return Promise.resolve();
  }

  /** The connection of a task. If it is not known here, the server may know the task. */
  async #place(request: ServerRequest, taskId: string): Promise<Held> {
    const known = this.#tasks.get(taskId);
    if (known !== undefined && !known.lane.isDead) {
      return known;
    }
    this.#forget(taskId);
    const caller = this.#relay.callerOf(request);
    const { lane, release } = await this.#lanes.acquire(caller, request.signal, undefined);
    try {
      const task = await this.#read(lane, taskId, request.signal);
      return this.#hold(taskId, lane, release, task);
    } catch (error) {
      release();
      throw error;
    }
  }

  #hold(taskId: string, lane: Lane, release: () => void, task: object): Held {
    this.#forget(taskId);
    if (this.#tasks.size >= this.#lanes.limits.maxHeld) {
      const owners = [...this.#tasks].map(
        ([
          id,
          {
            lane: { caller },
          },
        ]) => [id, caller?.key] as const,
      );
      this.#forget(oldestOfLargest(owners) ?? "");
    }
    const held: Held = { lane, release };
    const { ttl } = task as { readonly ttl?: unknown };
    if (typeof ttl === "number" && ttl < maxTimerMs) {
      held.timer = systemClock.setTimeout(() => this.#forget(taskId), ttl, false);
    }
    this.#tasks.set(taskId, held);
    return held;
  }

  #forget(taskId: string): void {
    const held = this.#tasks.get(taskId);
    if (held !== undefined) {
      this.#tasks.delete(taskId);
      systemClock.clearTimeout(held.timer);
      held.call?.stop.abort(new Error("Cannot wait for the task any longer: its connection was returned."));
      held.release();
    }
  }

  #read(lane: Lane, taskId: string, signal: AbortSignal): Promise<Params> {
    return lane.session.request("tasks/get", { taskId }, { signal }) as Promise<never>;
  }

  /** The input requests of a task. The server sends them while its result is requested. */
  async #inputs(held: Held, request: ServerRequest, taskId: string): Promise<object> {
    if (held.call === undefined || held.call.isOver) {
      held.call = this.#await(held.lane, request, taskId);
    }
    const questions = await held.call.pending(inputWaitMs);
    const entries = [...questions].map(([key, { method, params }]) => {
      // It names the task by the ID of this connection.
      const { _meta: related, ...own } = params;
      return [key, { method, params: related === undefined ? params : own }];
    });
    return Object.fromEntries(entries) as object;
  }

  #await(lane: Lane, request: ServerRequest, taskId: string): OpenCall {
    const caller = this.#relay.callerOf(request);
    const call = new OpenCall(crypto.randomUUID(), caller, request, this.#lanes.limits.maxInputs);
    const release = this.#lanes.hold(lane, call);
    const running = lane.session.request(
      "tasks/result",
      { taskId },
      {
        signal: call.stop.signal,
        timeoutMs: Infinity,
        totalTimeoutMs: Infinity,
        onId: (id) => void call.sent.add(id),
      },
    );
    void running
      .then(
        (result) => call.settle({ result }),
        (error: unknown) => call.settle({ error }),
      )
      .finally(release);
    return call;
  }

  async #outcome(lane: Lane, taskId: string, signal: AbortSignal): Promise<object> {
    try {
      const result = await lane.session.request("tasks/result", { taskId }, { signal });
      return { status: "completed", result: { resultType: "complete", ...result } };
    } catch (error) {
      if (!isRpcError(error)) {
        throw error;
      }
      const { code, message, data } = error;
      return { status: "failed", error: { code, message, ...(data === undefined ? {} : { data }) } };
    }
  }
}

/**
 * The first entry of the owner that has most of them: one caller cannot push out the entries of
 * others.
 *
 * @param entries - An identifier and its owner each, the oldest first.
 */
export function oldestOfLargest<T>(entries: readonly (readonly [T, unknown])[]): T | undefined {
  const counts = new Map<unknown, number>();
  for (const [, owner] of entries) {
    counts.set(owner, (counts.get(owner) ?? 0) + 1);
  }
  const most = Math.max(...counts.values());
  return entries.find(([, owner]) => counts.get(owner) === most)?.[0];
}

/** The longest time that a timer can wait for. */
const maxTimerMs = 2 ** 31;

/** A task of a legacy server without its outcome, as modern servers send it. */
function modernTask(task: object): Params {
  const { ttl = null, pollInterval, ...rest } = task as Params;
  return { ...rest, ttlMs: ttl, ...(pollInterval === undefined ? {} : { pollIntervalMs: pollInterval }) };
}
