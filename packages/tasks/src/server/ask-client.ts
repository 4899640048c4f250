import { anySignal, isRecord, sleep, unlessAborted } from "@tenon/base";
import { isLocalError, isRpcError, ErrorCode, LocalError } from "@tenon/jsonrpc2/core";
import type { HookedCall, ServerExtensionHost, ServerSession } from "@tenon/mcp";
import { methodTables } from "@tenon/protocol";

import { callBack } from "../client/call-back.ts";
import { TaskCallError } from "../client/error.ts";
import { boundedPollMs, readTask, type RemoteTask } from "../client/task.ts";
import { taskChanges, type TaskChanges } from "../legacy/changes.ts";
import { isFinal } from "../store/record.ts";

/** Maximum time for the cancellation of a task that is no longer needed, in milliseconds. */
const cancelTimeoutMs = 5000;

/** The tasks of a client that the server waits for. */
interface Waiting {
  readonly changes: TaskChanges;
  isClosed: boolean;
}

const waiting = new WeakMap<ServerSession, Waiting>();

/**
 * Sends the requests for sampling and elicitation with the option `task` as tasks, to clients of
 * 2025-11-25 that have declared this.
 *
 * @source
 */
export function askClients(host: ServerExtensionHost<object>): void {
  for (const [method, capability] of [
    ["sampling/createMessage", "sampling"],
    ["elicitation/create", "elicitation"],
  ] as const) {
    host.addCallHook(method, (call) =>
      wantsTask(call, capability) ? askWithTask(host, call) : call.send(method, call.params, call.options),
    );
  }
  host.handle("notifications/tasks/status", ({ taskId }, { session }) => {
    if (session !== undefined) {
      waitingOf(session).changes.changed(taskId);
    }
  });
}

function wantsTask(
  { options: { task = false }, client, revision, method }: HookedCall,
  name: "sampling" | "elicitation",
): boolean {
  const { requests } =
    (client.capabilities as { readonly tasks?: { readonly requests?: object } }).tasks ?? {};
  const parts: unknown = requests === undefined ? undefined : Reflect.get(requests, name);
  const part = method.slice(method.indexOf("/") + 1);
  return (
    task !== false &&
    methodTables[revision][method]?.task === true &&
    isRecord(parts) &&
    parts[part] !== undefined
  );
}

async function askWithTask(host: ServerExtensionHost<object>, call: HookedCall): Promise<unknown> {
  const { method, params, options, send } = call;
  const { task, onTask, signal, timeoutMs = Infinity, totalTimeoutMs = Infinity } = options;
  const ttl = isRecord(task) && task["ttlMs"] !== undefined ? { ttl: task["ttlMs"] } : {};
  const limitMs = Math.min(timeoutMs, totalTimeoutMs);
  const stop = new AbortController();
  const { clock } = host;
  const giveUp = (): void => {
    stop.abort(new LocalError("TIMEOUT", `The task had no result within ${limitMs} ms.`));
  };
  const timer = limitMs < Infinity ? clock.setTimeout(giveUp, limitMs, true) : undefined;
  const either = signal === undefined ? stop.signal : anySignal([stop.signal, signal]);
  let id: string | undefined;
  try {
    // A request with `task` is cancelled by tasks/cancel, so its signal only ends the wait.
    const sent = send(method, { ...params, task: ttl }, { timeoutMs: Infinity, totalTimeoutMs: Infinity });
    const result = await unlessAborted(sent, either).catch((error: unknown) => {
      if (either.aborted) {
        sent.then(
          (late) => cancel(host, call, late),
          () => undefined,
        );
      }
      throw error;
    });
    if (!isRecord(result) || !isRecord(result["task"])) {
      return result;
    }
    const first = readTask(result["task"]);
    ({ id } = first);
    return await follow(host, call, first, either, onTask);
  } catch (error) {
    if (either.aborted && id !== undefined) {
      cancel(host, call, { task: { taskId: id } });
    }
    throw either.aborted ? either.reason : error;
  } finally {
    clock.clearTimeout(timer);
  }
}

/**
 * Polls a task until it has ended, and returns the result of its request. A request that gets no
 * response is repeated as long as the session lasts.
 */
async function follow(
  host: ServerExtensionHost<object>,
  call: HookedCall,
  first: RemoteTask,
  signal: AbortSignal,
  onTask: ((task: RemoteTask) => void) | undefined,
): Promise<unknown> {
  const { id, pollIntervalMs } = first;
  let wake = new AbortController();
  const forget = call.session && waitingOf(call.session).changes.listen(id, () => wake.abort());
  let seen = "";
  try {
    for (let task: RemoteTask | undefined = first; ; task = await read(call, id, signal)) {
      const state = JSON.stringify(task);
      if (task !== undefined && state !== seen) {
        seen = state;
        callBack(() => onTask?.(task), host.onError);
      }
      if (task?.status === "cancelled") {
        throw new TaskCallError("TASK_CANCELLED", `The task ${id} was cancelled.`);
      }
      const result = task && isFinal(task.status) ? await ask(call, "tasks/result", id, signal) : undefined;
      if (result !== undefined) {
        return result;
      }
      await sleep(boundedPollMs(task?.pollIntervalMs ?? pollIntervalMs), {
        signal: anySignal([signal, wake.signal]),
        clock: host.clock,
        keepsAlive: true,
      }).catch(() => undefined);
      signal.throwIfAborted();
      wake = new AbortController();
    }
  } finally {
    forget?.();
  }
}

async function read(call: HookedCall, id: string, signal: AbortSignal): Promise<RemoteTask | undefined> {
  try {
    const task = await ask(call, "tasks/get", id, signal);
    return task === undefined ? undefined : readTask(task);
  } catch (error) {
    throw isRpcError(error) && error.code === ErrorCode.InvalidParams
      ? new TaskCallError("TASK_LOST", `The client does not know the task ${id}.`, { cause: error })
      : error;
  }
}

/**
 * Sends a request about a task: on the stream of the handler's request, or, if that has ended, on
 * the session. Returns `undefined` if there is no response although the session continues.
 */
async function ask(
  { session, send }: HookedCall,
  method: string,
  taskId: string,
  signal?: AbortSignal,
): Promise<unknown> {
  const options = signal === undefined ? { totalTimeoutMs: cancelTimeoutMs } : { signal };
  try {
    return await send(method, { taskId }, options).catch((error: unknown) => {
      if (session === undefined || signal?.aborted === true || !isLocalError(error, "CONNECTION_CLOSED")) {
        throw error;
      }
      return session.request(method, { taskId }, options);
    });
  } catch (error) {
    const isLost = isLocalError(error, "TIMEOUT") || isLocalError(error, "CONNECTION_CLOSED");
    if (session === undefined || signal?.aborted === true || !isLost || waitingOf(session).isClosed) {
      throw error;
    }
    return undefined;
  }
}

function waitingOf(session: ServerSession): Waiting {
  const known = waiting.get(session);
  if (known !== undefined) {
    return known;
  }
  const own: Waiting = { changes: taskChanges(), isClosed: false };
  waiting.set(session, own);
  void session.closed.then(() => {
    own.isClosed = true;
    own.changes.all();
  });
  return own;
}

/** Cancels the task in the result of a request, in the background. */
function cancel({ onError }: ServerExtensionHost<object>, call: HookedCall, result: unknown): void {
  const task = isRecord(result) ? result["task"] : undefined;
  if (isRecord(task)) {
    ask(call, "tasks/cancel", String(task["taskId"])).catch(onError);
  }
}
