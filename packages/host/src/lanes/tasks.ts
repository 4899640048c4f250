import { isRecord } from "@tenon/base";
import {
  defineClientExtension,
  type Client,
  type ClientExtension,
  type ClientSession,
  type RequestOptions,
  type ServerRequest,
} from "@tenon/mcp";
import { eraOf } from "@tenon/protocol";

/** The name of the extension for long-running tasks. */
export const tasksExtension = "io.modelcontextprotocol/tasks";

/** The key of `_meta` with the task of a legacy message. */
const relatedTask = "io.modelcontextprotocol/related-task";

/** The value of the option `task` for a result as the server sends it. */
const unfollowed = "return";

/** A task that a request has become. */
export interface TaskAnswer {
  readonly taskId: string;
  readonly status?: unknown;
}

/** The client of a connection takes tasks in place of results, and does not follow them. */
const takingTasks: ClientExtension = defineClientExtension({
  id: tasksExtension,
  eras: ["modern"],
  setup: (_client, host) => {
    host.addRequestOptions("task");
    const hook = ({ params, options, send }: Parameters<Parameters<typeof host.addRequestHook>[1]>[0]) => {
      const { task, ...rest } = options as RequestOptions & { readonly task?: unknown };
      return send(params, { ...rest, declared: task === unfollowed });
    };
    host.addRequestHook("tools/call", hook, ["task"]);
  },
});

/** Makes the client of a connection take tasks, unless it does already. */
export function takeTasks(client: Client): void {
  try {
    client.use(takingTasks);
  } catch {
    // It has tasks of its own, whose option has the same values.
  }
}

/** Whether the client of a request takes a task in place of a result. */
export function takesTasks({ revision, client: { capabilities } }: ServerRequest): boolean {
  return eraOf(revision) === "modern" && Object.hasOwn(capabilities.extensions ?? {}, tasksExtension);
}

/**
 * The option for a call whose result may be a task, or must not be one. Only clients with tasks
 * know it.
 */
export function taskOption(
  session: ClientSession,
  { method }: { readonly method: string },
  mayBeTask: boolean,
): object {
  // Legacy clients do not declare the extension, and their sessions have its property.
  const knows =
    Object.hasOwn(session.declaredCapabilities.extensions ?? {}, tasksExtension) || "tasks" in session;
  return method === "tools/call" && knows ? { task: mayBeTask ? unfollowed : "never" } : {};
}

/** The task that a legacy server has made of a call, if it has. */
export function legacyTaskOf(result: object): TaskAnswer | undefined {
  const { task } = result as { readonly task?: unknown };
  return isRecord(task) && typeof task["taskId"] === "string" ? (task as never) : undefined;
}

/** How long the connection of a task is kept that no client reads, in milliseconds. */
export function heldFor(task: object, holdMs: number): number {
  const { ttl } = task as { readonly ttl?: unknown };
  return typeof ttl === "number" && ttl >= 0 ? Math.min(ttl, holdMs) : holdMs;
}

/** The task that a message of a legacy server belongs to, by its id at the server. */
export function relatedTaskOf({ _meta }: Readonly<Record<string, unknown>>): string | undefined {
  const related = isRecord(_meta) ? _meta[relatedTask] : undefined;
  const taskId = isRecord(related) ? related["taskId"] : undefined;
  return typeof taskId === "string" ? taskId : undefined;
}

/**
 * Replaces the task that a message of a legacy server belongs to. `undefined`: the receiver knows
 * no task.
 */
export function withRelatedTask(
  params: Readonly<Record<string, unknown>>,
  taskId: string | undefined,
): Readonly<Record<string, unknown>> {
  const { _meta, ...rest } = params;
  if (relatedTaskOf(params) === undefined || !isRecord(_meta)) {
    return params;
  }
  const { [relatedTask]: _related, ...meta } = _meta;
  const own = taskId === undefined ? meta : { ...meta, [relatedTask]: { taskId } };
  return Object.keys(own).length === 0 ? rest : { ...rest, _meta: own };
}
