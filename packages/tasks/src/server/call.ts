import { methodNotFound } from "@tenon/jsonrpc2";
import { isRecord } from "@tenon/jsonrpc2/transport";
import type { ExtensionRequest, ExtensionToolCall, RequestContext, ServerExtensionHost } from "@tenon/mcp";
import { methodTables, type Tool } from "@tenon/protocol";

import type { TaskEngine } from "../engine/contract.ts";
import type { TaskSnapshot } from "../engine/snapshot.ts";
import { isTaskError } from "../error.ts";
import { announce } from "../legacy/announce.ts";
import { legacyTask } from "../legacy/forms.ts";
import { modernTask } from "./forms.ts";
import { factsOf } from "./run-context.ts";
import { taskDefinition } from "./run.ts";
import type { ToolTask } from "./tool-task.ts";

/** The parts that the handlers of a server's tasks share. */
export interface TaskServer {
  readonly engine: TaskEngine;
  readonly host: ServerExtensionHost<object>;
  ownerOf(context: RequestContext): string;
}

/** The form in which the client of a call gets a task. */
interface Form {
  /** The lifetime that the client asks for, in milliseconds. */
  readonly ttlMs?: number | undefined;
  /** The result of the call. */
  result(task: TaskSnapshot): object;
}

/**
 * Handles a call of a tool with the option `task`: creates a task if the client supports tasks,
 * otherwise runs the tool in the request.
 *
 * @throws `RpcError` if the tool requires a task and the client has none.
 * @source
 */
export async function callAsTask(
  shared: TaskServer,
  own: ToolTask,
  call: ExtensionToolCall,
): Promise<object> {
  const { engine, host, ownerOf } = shared;
  const { tool, request, rawArguments, run } = call;
  const isRequired = own.mode === "required";
  const form = formOf(shared, request);
  if (form === undefined) {
    if (isRequired) {
      refuseWithoutTasks(host, request, tool.name);
    }
    return run();
  }
  if (!isRequired && own.when !== undefined && !(await own.when(call.arguments as never, request))) {
    return run();
  }
  const prepared = await own.prepare?.(call.arguments as never, request);
  try {
    const task = await engine.start({
      definition: taskDefinition(host, tool.name, own),
      arguments: rawArguments,
      data: factsOf(request, prepared),
      principal: ownerOf(request),
      ttlMs: form.ttlMs ?? own.ttlMs,
      pollIntervalMs: own.pollIntervalMs,
    });
    return form.result(task);
  } catch (error) {
    if (isRequired || own.prepare !== undefined || !isTaskError(error)) {
      throw error;
    }
    // Without a task the call still has a result, only later.
    host.onError(error);
    return run();
  }
}

function formOf(shared: TaskServer, request: ExtensionRequest): Form | undefined {
  if (shared.host.settingsOf(request) !== undefined) {
    return { result: (task) => ({ resultType: "task", ...modernTask(task) }) };
  }
  const augmentation = augmentationOf(request);
  if (augmentation === undefined) {
    return undefined;
  }
  const ttl = augmentation["ttl"];
  return {
    ttlMs: typeof ttl === "number" && ttl >= 1 ? Math.floor(ttl) : undefined,
    result: (task) => {
      const { session, meta } = request;
      if (session !== undefined) {
        const { host, engine, ownerOf } = shared;
        const token = meta["progressToken"];
        announce(engine, task, { session, owner: ownerOf(request), token, onError: host.onError });
      }
      return { task: legacyTask(task) };
    },
  };
}

/**
 * Rejects a call that asks for a task, of a tool that has none.
 *
 * @throws `RpcError` `-32601`.
 * @source R-672
 */
export function refuseTask({ name }: Tool, request: ExtensionRequest): void {
  if (augmentationOf(request) !== undefined) {
    throw methodNotFound("tools/call", `the tool ${name} has no tasks, and the request asks for one`);
  }
}

/** The param `task` of a request, in the revisions that have it. */
function augmentationOf({ params, revision }: ExtensionRequest): Record<string, unknown> | undefined {
  const augmentation = params["task"];
  return isRecord(augmentation) && methodTables[revision]["tools/call"]?.task === true
    ? augmentation
    : undefined;
}

function refuseWithoutTasks(
  host: ServerExtensionHost<object>,
  request: ExtensionRequest,
  name: string,
): void {
  if (request.session === undefined || request.session.clientCapabilities === undefined) {
    host.requireExtension(request);
  }
  throw methodNotFound("tools/call", `the tool ${name} requires a task, and the request asks for none`);
}
