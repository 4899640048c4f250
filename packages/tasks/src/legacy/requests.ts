import { isRecord } from "@tenon/base";
import { ErrorCode, RpcError } from "@tenon/jsonrpc2/core";

import type { TaskEngine } from "../engine/contract.ts";
import type { TaskSnapshot } from "../engine/snapshot.ts";
import { isTaskError } from "../error.ts";
import { isFinal } from "../store/record.ts";
import { legacyTask, relatedTo } from "./forms.ts";

type Params = Readonly<Record<string, unknown>>;

/**
 * The handlers of the requests about tasks of 2025-11-25, for either side.
 *
 * @typeParam R - A request.
 */
export interface LegacyRequests<R> {
  /** Finds the task of a request. @throws `RpcError` `-32602` if there is none for its sender. */
  find(id: unknown, request: R): Promise<TaskSnapshot>;
  /** `tasks/get`. */
  get(params: Params, request: R): Promise<object>;
  /** `tasks/cancel`. */
  cancel(params: Params, request: R): Promise<object>;
  /** `tasks/list`. */
  list(params: Params, request: R): Promise<object>;
}

/**
 * Makes the handlers of a side that keeps tasks.
 *
 * @param ownerOf - The owner of the tasks that a request may see.
 * @source R-670…R-683
 */
export function legacyRequests<R>(engine: TaskEngine, ownerOf: (request: R) => string): LegacyRequests<R> {
  const find = async (id: unknown, request: R): Promise<TaskSnapshot> => {
    const task = typeof id === "string" ? await engine.get(id, ownerOf(request)) : undefined;
    if (task === undefined) {
      throw unknownTask(id);
    }
    return task;
  };
  return {
    find,
    get: async ({ taskId }, request) => legacyTask(await find(taskId, request)),
    cancel: async ({ taskId }, request) => {
      const { id, state } = await find(taskId, request);
      if (isFinal(state)) {
        throw new RpcError(
          ErrorCode.InvalidParams,
          `Only a task that has not ended can be cancelled; got ${state}.`,
        );
      }
      const cancelled = await engine.cancel(id, ownerOf(request));
      if (cancelled === undefined) {
        throw unknownTask(id);
      }
      return legacyTask(cancelled);
    },
    list: async ({ cursor }, request) => {
      if (cursor !== undefined && typeof cursor !== "string") {
        throw new RpcError(ErrorCode.InvalidParams, "cursor must be a string");
      }
      try {
        const { tasks, nextCursor } = await engine.list(ownerOf(request), { cursor });
        return { tasks: tasks.map(legacyTask), ...(nextCursor === undefined ? {} : { nextCursor }) };
      } catch (error) {
        throw isTaskError(error, "INVALID_CURSOR")
          ? new RpcError(ErrorCode.InvalidParams, "Invalid cursor")
          : error;
      }
    },
  };
}

/**
 * Returns the result of a task that has ended, as its request would have had it.
 *
 * @throws `RpcError`: the error of the task.
 * @source R-676
 */
export function outcomeOf({ id, outcome, state }: TaskSnapshot): object {
  if (outcome === undefined || state === "cancelled") {
    throw new RpcError(ErrorCode.InternalError, "The task was cancelled.");
  }
  if ("error" in outcome) {
    const { code, message, data } = outcome.error;
    throw new RpcError(code, message, data === undefined ? {} : { data });
  }
  const result = isRecord(outcome.result) ? outcome.result : {};
  const meta = isRecord(result["_meta"]) ? result["_meta"] : {};
  return { ...result, _meta: { ...meta, ...relatedTo(id) } };
}

/** The error for a task that cannot be found: unknown, expired and foreign ones look alike. */
export function unknownTask(id: unknown): RpcError {
  const name = typeof id === "string" ? id.slice(0, 100) : typeof id;
  return new RpcError(ErrorCode.InvalidParams, `Unknown task: ${name}. It may have expired.`);
}
