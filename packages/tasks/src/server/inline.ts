import { anySignal } from "@tenon/base";
import { RpcError } from "@tenon/jsonrpc2/core";
import type { ExtensionRequest } from "@tenon/mcp";

import type { TaskWatch } from "../engine/contract.ts";
import type { TaskSnapshot } from "../engine/snapshot.ts";
import { isTaskError } from "../error.ts";
import type { TaskServer } from "./call.ts";

/**
 * Waits for a new task in the request that created it: until it has ended, requires input, or the
 * time is over. If the client cancels the request, the task is cancelled too.
 *
 * @returns The result of the call; `undefined` if the client gets the task.
 * @throws `RpcError` of a failed task; the reason of the request's signal.
 */
export async function resultWithin(
  { engine, host, ownerOf }: TaskServer,
  { id }: TaskSnapshot,
  ms: number,
  request: ExtensionRequest,
): Promise<object | undefined> {
  const owner = ownerOf(request);
  const over = new AbortController();
  const timer = host.clock.setTimeout(() => over.abort(), ms, true);
  const endIfAsking = ({ state }: TaskSnapshot): void => {
    if (state === "input_required") {
      over.abort();
    }
  };
  let watch: TaskWatch | undefined;
  try {
    watch = await engine.watch([id], owner, endIfAsking);
    const now = await engine.get(id, owner);
    if (now !== undefined) {
      endIfAsking(now);
    }
    return outcomeOf(await engine.result(id, owner, { signal: anySignal([over.signal, request.signal]) }));
  } catch (error) {
    if (request.signal.aborted) {
      await engine.cancel(id, owner);
    } else if (over.signal.aborted || isTaskError(error)) {
      return undefined;
    }
    throw error;
  } finally {
    host.clock.clearTimeout(timer);
    await watch?.close();
  }
}

function outcomeOf(task: TaskSnapshot | undefined): object | undefined {
  if (task?.outcome === undefined || task.state === "cancelled") {
    return undefined;
  }
  if ("error" in task.outcome) {
    const { code, message, data } = task.outcome.error;
    throw new RpcError(code, message, data === undefined ? {} : { data });
  }
  return task.outcome.result as object;
}
