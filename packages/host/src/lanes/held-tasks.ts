import { isRecord } from "@tenon/base";
import { ErrorCode, isRpcError, RpcError, type RequestId } from "@tenon/jsonrpc2/core";
import type { ServerRequest } from "@tenon/mcp";

import type { CallRelay } from "./call-relay.ts";
import { lengthOf, KeptOutcomes } from "./kept-outcomes.ts";
import type { Lane } from "./lane.ts";
import type { Lanes } from "./lanes.ts";
import { oldestOfLargest } from "./oldest-of-largest.ts";
import { OpenCall } from "./open-call.ts";
import { heldFor, withRelatedTask, type TaskAnswer } from "./tasks.ts";
import { untilAnswered } from "./until-answered.ts";

/** A task of a legacy server that a modern client refers to. */
interface Held {
  /** Its id at the server, which is unique only among the tasks of one connection. */
  readonly taskId: string;
  /** The sender of the call: its principal, or else its connection. Others are one owner. */
  readonly owner: unknown;
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
  /** The outcomes of tasks that have ended. The response with an outcome may be lost. */
  readonly #ended: KeptOutcomes<object>;

  constructor(relay: CallRelay, lanes: Lanes) {
    this.#relay = relay;
    this.#lanes = lanes;
    this.#ended = new KeptOutcomes(lanes);
  }

  /**
   * Keeps the connection of a task.
   *
   * @returns The result of the call, for a modern client. Its id cannot be guessed, and is that of
   *   no other task.
   */
  keep(request: ServerRequest, lane: Lane, task: TaskAnswer): object {
    const id = `${crypto.randomUUID()}.${madeAt(task)}.${task.taskId}`;
    this.#hold(id, request, lane, task);
    return { resultType: "task", ...modernTask(task, id) };
  }

  /** Whether the connection or the outcome of a task is kept here. */
  has(id: string): boolean {
    return this.#tasks.has(id) || this.#ended.has(id);
  }

  /**
   * The task, with its input requests, its result or its error.
   *
   * @throws `RpcError` of the server, such as `-32602` for an unknown task.
   */
  async get(request: ServerRequest, id: string): Promise<object> {
    const known = this.#ended.get(id);
    if (known !== undefined) {
      return known;
    }
    const held = await this.#place(request, id);
    const { lane, taskId } = held;
    const task = await this.#read(lane, taskId, request.signal);
    const { status } = task;
    if (status === "input_required") {
      return { ...modernTask(task, id), inputRequests: await this.#inputs(held, request, taskId) };
    }
    if (isFinal.has(status)) {
      const outcome = status === "cancelled" ? {} : await this.#outcome(lane, taskId, request.signal);
      return this.#end(id, held, { ...modernTask(task, id), ...outcome });
    }
    return modernTask(task, id);
  }

  /** Passes on responses to input requests of a task. Unknown ones are ignored. */
  async update(request: ServerRequest, id: string, responses: unknown): Promise<object> {
    if (this.#ended.has(id)) {
      return {};
    }
    const { lane, call, taskId } = await this.#place(request, id);
    if (call === undefined) {
      // This throws if there is no such task.
      await this.#read(lane, taskId, request.signal);
    }
    call?.answer(isRecord(responses) ? responses : {});
    return {};
  }

  /** Cancels a task. A task that has ended does not change. */
  async cancel(request: ServerRequest, id: string): Promise<object> {
    if (this.#ended.has(id)) {
      return {};
    }
    const { signal } = request;
    const { lane, taskId } = await this.#place(request, id);
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
    [...this.#tasks.keys()].forEach((id) => this.#forget(id));
    this.#ended.clear();
    return Promise.resolve();
  }

  /** Keeps the outcome of a task for requests that arrive again, or else its connection. */
  #end(id: string, held: Held, task: object): object {
    const { keepMs } = this.#lanes.limits;
    if (this.#ended.keep(id, task, { owner: held.owner, length: lengthOf(task), ms: keepMs })) {
      this.#forget(id);
    } else {
      this.#expect(id, held, { ttl: keepMs });
    }
    return task;
  }

  /** The connection of a task. If it is not known here, the server may know the task. */
  async #place(request: ServerRequest, id: string): Promise<Held> {
    const known = this.#tasks.get(id);
    if (known !== undefined && !known.lane.isEnded) {
      this.#expect(id, known, {});
      return known;
    }
    this.#forget(id);
    const caller = this.#relay.callerOf(request);
    const { lane, release } = await this.#lanes.acquire(caller, request.signal, undefined);
    try {
      const [, made, ...taskId] = id.split(".");
      const task = await this.#read(lane, taskId.join("."), request.signal);
      if (madeAt(task) !== made) {
        // The server has given the id again, perhaps to the task of another caller.
        throw new RpcError(ErrorCode.InvalidParams, "Unknown task. Its server has forgotten it.");
      }
      return this.#hold(id, request, lane, task as Params & TaskAnswer);
    } finally {
      release();
    }
  }

  #hold(id: string, request: ServerRequest, lane: Lane, task: TaskAnswer): Held {
    this.#forget(id);
    // The key of a caller contains the capabilities that it declares, so strangers could choose it.
    const owner = request.auth?.principal ?? request.session;
    this.#makeRoom(owner, lane);
    const held: Held = { taskId: task.taskId, owner, lane, release: this.#lanes.holdTask(lane) };
    this.#tasks.set(id, held);
    this.#expect(id, held, task);
    return held;
  }

  /** A task that no caller reads returns its connection after `holdMs`, however long it runs. */
  #expect(id: string, held: Held, task: object): void {
    const { holdMs } = this.#lanes.limits;
    const ms = heldFor(task, holdMs);
    this.#lanes.clock.clearTimeout(held.timer);
    held.timer =
      ms < maxTimerMs ? this.#lanes.clock.setTimeout(() => this.#forget(id), ms, false) : undefined;
  }

  /** Limits the tasks and connections of each caller. */
  #makeRoom(owner: unknown, lane: Lane): void {
    const { maxHeld, maxPerCaller } = this.#lanes.limits;
    const own = [...this.#tasks].filter(([, held]) => held.owner === owner);
    const lanes = new Set(own.map(([, held]) => held.lane));
    if (!lanes.has(lane) && lanes.size >= maxPerCaller) {
      const [oldest] = lanes;
      own.filter(([, held]) => held.lane === oldest).forEach(([id]) => this.#forget(id));
    }
    if (this.#tasks.size >= maxHeld) {
      this.#forget(oldestOfLargest(ownersOf(this.#tasks)) ?? "");
    }
  }

  #forget(id: string): void {
    const held = this.#tasks.get(id);
    if (held !== undefined) {
      this.#tasks.delete(id);
      this.#lanes.clock.clearTimeout(held.timer);
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
    return Object.fromEntries([...questions].map(([key, { method, params }]) => [key, { method, params }]));
  }

  #await(lane: Lane, request: ServerRequest, taskId: string): OpenCall {
    const caller = this.#relay.callerOf(request);
    const { limits, clock } = this.#lanes;
    const call = new OpenCall(crypto.randomUUID(), caller, request, { maxInputs: limits.maxInputs, clock });
    lane.follow(call, taskId);
    const release = this.#lanes.hold(lane, call);
    const { signal } = call.stop;
    const options = {
      signal,
      timeoutMs: Infinity,
      totalTimeoutMs: Infinity,
      onId: (sent: RequestId) => void call.sent.add(sent),
    };
    void untilAnswered(() => lane.session.request("tasks/result", { taskId }, options), { signal, clock })
      .then(
        (result) => call.settle({ result }),
        (error: unknown) => call.settle({ error }),
      )
      .finally(release);
    return call;
  }

  async #outcome(lane: Lane, taskId: string, signal: AbortSignal): Promise<object> {
    try {
      const ask = (): Promise<Params> =>
        lane.session.request("tasks/result", { taskId }, { signal }) as never;
      const result = await untilAnswered(ask, { signal, clock: this.#lanes.clock });
      return {
        status: "completed",
        result: { resultType: "complete", ...withRelatedTask(result, undefined) },
      };
    } catch (error) {
      if (!isRpcError(error)) {
        throw error;
      }
      const { code, message, data } = error;
      return { status: "failed", error: { code, message, ...(data === undefined ? {} : { data }) } };
    }
  }
}

function ownersOf(
  tasks: ReadonlyMap<string, { readonly owner: unknown }>,
): readonly (readonly [string, unknown])[] {
  return [...tasks].map(([id, { owner }]) => [id, owner] as const);
}

/** The longest time that a timer can wait for. */
const maxTimerMs = 2 ** 31;

/** The time at which a task was created. Two tasks with one id differ in it. */
function madeAt(task: object): string {
  return String(Date.parse(String((task as Params)["createdAt"])));
}

/** A task of a legacy server without its outcome, as modern servers send it. */
function modernTask(task: object, id: string): Params {
  const { ttl = null, pollInterval, ...rest } = task as Params;
  return {
    ...rest,
    taskId: id,
    ttlMs: ttl,
    ...(pollInterval === undefined ? {} : { pollIntervalMs: pollInterval }),
  };
}
