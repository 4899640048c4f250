import { anySignal, isRecord, sleep, type Clock } from "@tenon/base";
import { ErrorCode, isRpcError, RpcError } from "@tenon/jsonrpc2/core";
import { defineMethod, type ClientSession, type InputCapabilities, type MethodDefinition } from "@tenon/mcp";
import type { InputRequests, InputResponses } from "@tenon/protocol";

import { tasksExtension } from "./tasks.ts";
import { untilAnswered } from "./until-answered.ts";

/** The methods of tasks that modern servers have. */
export const taskMethods: ReadonlyMap<string, MethodDefinition> = new Map(
  ["tasks/get", "tasks/update", "tasks/cancel"].map((method) => [
    method,
    defineMethod({ method, extension: tasksExtension, eras: ["modern"], header: "taskId" }),
  ]),
);

/** The times between two polls of a task, in milliseconds. */
const pollMs = { initial: 1000, min: 100, max: 60_000 } as const;

/** Options of {@link followTask}. */
interface FollowOptions {
  readonly signal: AbortSignal;
  readonly capabilities: InputCapabilities;
  /** Measures the time between two polls. */
  readonly clock: Clock;
  /** Gets the responses of the client. */
  readonly answer: (requests: InputRequests, signal: AbortSignal) => Promise<InputResponses>;
}

/** Whether a modern server has refused a call because its client takes no tasks. */
export function needsTasks(error: unknown): boolean {
  const data = isRpcError(error) ? error.data : undefined;
  const required = isRecord(data) ? data["requiredCapabilities"] : undefined;
  const extensions = isRecord(required) ? required["extensions"] : undefined;
  return isRecord(extensions) && Object.hasOwn(extensions, tasksExtension);
}

/** Sends a request about a task to a modern server. */
export async function askForTask(
  session: ClientSession,
  method: string,
  params: object,
  options: Pick<FollowOptions, "signal" | "capabilities">,
): Promise<Readonly<Record<string, unknown>>> {
  const definition = taskMethods.get(method);
  if (definition === undefined) {
    throw new RpcError(ErrorCode.MethodNotFound, `Unknown method: ${method}`);
  }
  const sent: object = await session.request(definition, params, options);
  return { ...sent };
}

/**
 * Waits for the result of a task of a modern server, on behalf of a client that takes no tasks. The
 * task is cancelled when the signal aborts.
 *
 * @param first - The result of the call, which need not be a task.
 */
export async function followTask(
  session: ClientSession,
  first: object,
  { answer, clock, ...options }: FollowOptions,
): Promise<object> {
  const { resultType, taskId } = first as { readonly resultType?: unknown; readonly taskId?: unknown };
  if (resultType !== "task") {
    return first;
  }
  const { signal } = options;
  const ended = new AbortController();
  const either = anySignal([signal, ended.signal]);
  const asked = new Set<string>();
  let open = 0;
  const ask: typeof askForTask = (...request) =>
    untilAnswered(() => askForTask(...request), { signal: either, clock });
  const answerAll = (requests: InputRequests): void => {
    const fresh = Object.entries(requests).filter(([key]) => !asked.has(key));
    if (open + fresh.length > maxOpenInputs || asked.size + fresh.length > maxInputs) {
      const problem = `The task must request at most ${maxOpenInputs} inputs at a time, and ${maxInputs} in all.`;
      ended.abort(new RpcError(ErrorCode.InternalError, problem));
      throw ended.signal.reason;
    }
    fresh.forEach(([key]) => asked.add(key));
    open += fresh.length;
    for (const [key, request] of fresh) {
      void answer({ [key]: request }, either)
        .then((inputResponses) =>
          ask(session, "tasks/update", { taskId, inputResponses }, { ...options, signal: either }),
        )
        .catch((error: unknown) => ended.abort(error))
        .finally(() => open--);
    }
  };
  try {
    for (;;) {
      const task = await ask(session, "tasks/get", { taskId }, { ...options, signal: either });
      switch (task["status"]) {
        case "completed":
          if (!isRecord(task["result"])) {
            throw malformed("result", "an object", task["result"]);
          }
          return task["result"];
        case "failed":
          throw errorOf(task["error"]);
        case "cancelled":
          throw new RpcError(ErrorCode.InternalError, "The task of the call was cancelled.");
        case "working":
        case "input_required":
          break;
        default:
          throw malformed("status", "one that the protocol has", task["status"]);
      }
      answerAll(isRecord(task["inputRequests"]) ? (task["inputRequests"] as InputRequests) : {});
      await sleep(pollDelay(task["pollIntervalMs"]), { signal: either, clock, keepsAlive: true });
    }
  } catch (error) {
    if (either.aborted) {
      const cancel = { ...options, signal: AbortSignal.timeout(cancelMs) };
      askForTask(session, "tasks/cancel", { taskId }, cancel).catch(() => {});
    }
    throw error;
  } finally {
    ended.abort();
  }
}

/** The time until the next poll, in milliseconds: the wish of the server, within bounds. */
export function pollDelay(wanted: unknown): number {
  const ms = typeof wanted === "number" && Number.isFinite(wanted) ? wanted : pollMs.initial;
  return Math.min(pollMs.max, Math.max(pollMs.min, ms));
}

/** How long the server may take to confirm that a task is cancelled, in milliseconds. */
const cancelMs = 10_000;

/** How many inputs a task may request at a time, and in all. */
const [maxOpenInputs, maxInputs] = [32, 1000];

function malformed(name: string, expected: string, value: unknown): RpcError {
  const got = (JSON.stringify(value) ?? "nothing").slice(0, 100);
  return new RpcError(ErrorCode.InternalError, `The ${name} of the task must be ${expected}; got ${got}.`);
}

function errorOf(error: unknown): RpcError {
  const { code, message, data } = isRecord(error) ? error : {};
  return new RpcError(
    typeof code === "number" ? code : ErrorCode.InternalError,
    typeof message === "string" ? message : "The task of the call failed.",
    data === undefined ? {} : { data },
  );
}
