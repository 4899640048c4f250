import { ErrorCode, RpcError } from "@tenon/jsonrpc2";
import type { ExtensionRequest } from "@tenon/mcp";

import type { TaskSnapshot } from "../engine/snapshot.ts";
import { isTaskError } from "../error.ts";
import { isFinal } from "../store/record.ts";
import type { TaskServer } from "./call.ts";
import { legacyTask } from "./forms.ts";
import { resultOf } from "./legacy-result.ts";
import { unknownTask } from "./run-context.ts";

/**
 * Serves the core feature of 2025-11-25.
 *
 * @param hasList - Whether clients can list their tasks.
 * @source R-670…R-683
 */
export function serveLegacy(shared: TaskServer, hasList: boolean): void {
  const { engine, host, ownerOf } = shared;
  host.addCapability("tasks", () => ({
    ...(hasList ? { list: {} } : {}),
    cancel: {},
    requests: { tools: { call: {} } },
  }));
  const find = async (id: unknown, request: ExtensionRequest): Promise<TaskSnapshot> => {
    const task = typeof id === "string" ? await engine.get(id, ownerOf(request)) : undefined;
    if (task === undefined) {
      throw unknownTask(id);
    }
    return task;
  };
  host.handle("tasks/get", async ({ taskId }, request) => legacyTask(await find(taskId, request)));
  host.handle("tasks/result", async ({ taskId }, request) =>
    resultOf(await find(taskId, request), request, shared),
  );
  host.handle("tasks/cancel", async ({ taskId }, request) => {
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
  });
  if (hasList) {
    host.handle("tasks/list", async ({ cursor }, request) => {
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
    });
  }
}
