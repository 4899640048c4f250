import { isRecord } from "@tenon/base";
import { ErrorCode, methodNotFound, RpcError } from "@tenon/jsonrpc2/core";
import type { ExtensionRequest, ExtensionToolCall, RequestContext, ServerExtensionHost } from "@tenon/mcp";
import { methodTables, type Tool } from "@tenon/protocol";

import type { TaskEngine } from "../engine/contract.ts";
import { taskIdOf } from "../engine/key.ts";
import { newTaskId } from "../engine/names.ts";
import type { TaskSnapshot } from "../engine/snapshot.ts";
import { isTaskError } from "../error.ts";
import { announce } from "../legacy/announce.ts";
import { legacyTask } from "../legacy/forms.ts";
import { idempotencyKey, immediateResponse } from "../wire/messages.ts";
import { publishDeferred } from "./deferred.ts";
import { modernTask } from "./forms.ts";
import { noRoomForTask } from "./full.ts";
import { resultWithin } from "./inline.ts";
import { factsOf, type CallerFacts } from "./run-context.ts";
import { taskDefinition } from "./run.ts";
import type { ToolTask } from "./tool-task.ts";

/** The parts that the handlers of a server's tasks share. */
export interface TaskServer {
  readonly engine: TaskEngine;
  /** The server that has the tools. */
  readonly server: object;
  readonly host: ServerExtensionHost<object>;
  /** Called before a task is read for a client: see `pollLimit`. */
  polled(id: string): void;
  /** Reports that the store has no room for a task. */
  reportFull(error: unknown): void;
  ownerOf(context: RequestContext): string;
}

/** The form in which the client of a call gets a task. */
interface Form {
  /** The lifetime that the client asks for, in milliseconds. */
  readonly ttlMs?: number | undefined;
  /** Whether the server decides that the call becomes a task. */
  readonly isServersChoice: boolean;
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
  const { engine, server, host, ownerOf } = shared;
  const { tool, request, rawArguments, run } = call;
  const isRequired = own.mode === "required";
  const form = formOf(shared, own, request);
  if (form === undefined) {
    if (isRequired) {
      refuseWithoutTasks(host, request, tool.name);
    }
    return run();
  }
  if (!isRequired && own.when !== undefined && !(await own.when(call.arguments as never, request))) {
    return run();
  }
  const principal = ownerOf(request);
  const key = principal === "" ? undefined : keyOf(request);
  const known = await earlierCall(shared, tool.name, principal, key);
  if (known !== undefined) {
    if (JSON.stringify(known.arguments) !== JSON.stringify(rawArguments ?? {})) {
      throw new RpcError(
        ErrorCode.InvalidParams,
        `_meta["${idempotencyKey}"] must be used for the same arguments; it belongs to an earlier call`,
      );
    }
    return form.result(known);
  }
  const prepared = await own.prepare?.(call.arguments as never, request);
  let task: TaskSnapshot;
  try {
    task = await engine.start({
      definition: taskDefinition(shared, tool.name, own),
      arguments: rawArguments,
      data: factsOf(request, prepared, publishDeferred(server, tool.name)),
      principal,
      key,
      ttlMs: form.ttlMs ?? own.ttlMs,
      pollIntervalMs: own.pollIntervalMs,
    });
  } catch (error) {
    // After a failure of the store the task may exist.
    if (!isTaskError(error, "STORE_FAILED")) {
      const isTaken = isTaskError(error, "TASK_EXISTS");
      const other = isTaken ? earlierCall(shared, tool.name, principal, key) : undefined;
      void discardJob(shared, own, call, { prepared, other });
    }
    if (isTaskError(error, "TASK_EXISTS")) {
      throw new RpcError(ErrorCode.InvalidParams, error.message);
    }
    const isFull = isTaskError(error, "STORE_FULL");
    if (isFull) {
      shared.reportFull(error);
    }
    if (isRequired || own.prepare !== undefined || !isTaskError(error)) {
      throw isFull ? noRoomForTask(error.message) : error;
    }
    // Without a task the call still has a result, only later.
    if (!isFull) {
      host.onError(error);
    }
    return run();
  }
  if (key !== undefined) {
    // Another call with the key may have created the task in the meantime.
    void discardJob(shared, own, call, { prepared, other: task });
  }
  if (form.isServersChoice && key === undefined && request.signal.aborted) {
    // The client cancelled the call before it could know the task.
    await engine.cancel(task.id, principal);
    throw request.signal.reason;
  }
  const { inlineMs } = own;
  const result =
    inlineMs !== undefined && form.isServersChoice
      ? await resultWithin(shared, task, inlineMs, request)
      : undefined;
  return result ?? form.result(task);
}

/** The key by which a client identifies a call that it may repeat. */
function keyOf({ meta }: ExtensionRequest): string | undefined {
  const key = meta[idempotencyKey];
  if (key === undefined) {
    return undefined;
  }
  if (typeof key !== "string" || key === "" || key.length > 256) {
    throw new RpcError(
      ErrorCode.InvalidParams,
      `_meta["${idempotencyKey}"] must be a string of 1 to 256 characters`,
    );
  }
  return key;
}

/** The task of an earlier call with the same key, before `prepare` begins anything twice. */
async function earlierCall(
  { engine }: TaskServer,
  name: string,
  principal: string,
  key: string | undefined,
): Promise<TaskSnapshot | undefined> {
  return key === undefined
    ? undefined
    : engine.get(await taskIdOf({ definition: { name }, key, principal }), principal);
}

/** A job that `prepare` began, and the task that takes the place of its own task. */
interface Unused {
  readonly prepared: unknown;
  readonly other: TaskSnapshot | Promise<TaskSnapshot | undefined> | undefined;
}

/**
 * Cancels the job of a call that has no task, unless the other task has the same job. Never
 * rejects.
 */
async function discardJob(
  { host, ownerOf }: TaskServer,
  { backend, prepare }: ToolTask,
  { request, rawArguments }: ExtensionToolCall,
  { prepared, other }: Unused,
): Promise<void> {
  if (prepare === undefined) {
    return;
  }
  try {
    const facts = (await other)?.data as CallerFacts | undefined;
    if (facts === undefined || JSON.stringify(facts.prepared) !== JSON.stringify(prepared)) {
      const { signal } = new AbortController();
      const ids = { id: newTaskId(), principal: ownerOf(request) };
      await backend?.cancel?.({ ...ids, arguments: rawArguments ?? {}, prepared, signal });
    }
  } catch (error) {
    host.onError(error);
  }
}

function formOf(shared: TaskServer, { immediate }: ToolTask, request: ExtensionRequest): Form | undefined {
  if (shared.host.settingsOf(request) !== undefined) {
    return { isServersChoice: true, result: (task) => ({ resultType: "task", ...modernTask(task) }) };
  }
  const augmentation = augmentationOf(request);
  if (augmentation === undefined) {
    return undefined;
  }
  const ttl = augmentation["ttl"];
  const meta = immediate === undefined ? {} : { _meta: { [immediateResponse]: immediate } };
  return {
    isServersChoice: false,
    ttlMs: typeof ttl === "number" && ttl >= 1 ? Math.floor(ttl) : undefined,
    result: (task) => {
      const { session } = request;
      if (session !== undefined) {
        const { host, engine, ownerOf } = shared;
        const token = request.meta["progressToken"];
        announce(engine, task, { session, owner: ownerOf(request), token, onError: host.onError });
      }
      return { task: legacyTask(task), ...meta };
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
