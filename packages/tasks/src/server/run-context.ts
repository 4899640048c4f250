import { isRecord } from "@tenon/base";
import {
  createSuspension,
  type DeferredFacts,
  McpError,
  type InputMethod,
  type InputOptions,
  type RequestContext,
  type ServerExtensionHost,
} from "@tenon/mcp";

import type { TaskContext } from "../engine/context.ts";
import { isTaskError } from "../error.ts";

/** The part of a request that the runs of its task may use: plain JSON. */
export type CallerFacts = Pick<RequestContext, "revision" | "client" | "auth"> & {
  /** The value of `prepare`. */
  readonly prepared?: unknown;
  /** The facts for those who observe the runs, such as the trace context of the request. */
  readonly observed?: DeferredFacts | undefined;
};

/** The facts about the caller of a request. */
export function factsOf(
  { revision, client, auth }: RequestContext,
  prepared: unknown,
  observed: DeferredFacts,
): CallerFacts {
  const { info, capabilities } = client;
  const facts = { revision, client: { info, capabilities }, auth, prepared };
  return Object.keys(observed).length === 0 ? facts : { ...facts, observed };
}

/**
 * Makes the context of a handler that runs in a task. It has no session, no HTTP request and no
 * way to notify the client, because a task may run in another process than its request.
 */
export function runContext(host: ServerExtensionHost<object>, task: TaskContext): RequestContext {
  const { revision, client, auth, prepared } = task.data as CallerFacts;
  const counts = new Map<InputMethod, number>();
  let reached = progressOf(task);
  const ask = async (method: InputMethod, params: object, options: InputOptions = {}): Promise<unknown> => {
    const { signal } = options;
    signal?.throwIfAborted();
    const count = (counts.get(method) ?? 0) + 1;
    counts.set(method, count);
    const key = options.key ?? `${method.replace("/", ".")}.${count}`;
    const input = await host.inputFor(method, params, { revision, client });
    return input.read(await asked(task.ask(key, { method: input.method, params: input.params }, { signal })));
  };
  return {
    signal: task.signal,
    method: "tools/call",
    revision,
    meta: {},
    client,
    http: undefined,
    auth,
    session: undefined,
    inputResponses: undefined,
    requestState: undefined,
    unsealedState: undefined,
    progress: (progress: number, total?: number, message?: string) => {
      // A run that begins again from its start reports what its client has seen already.
      if (progress < reached) {
        return Promise.resolve();
      }
      reached = progress;
      const share = total === undefined ? String(progress) : `${progress}/${total}`;
      const text = message === undefined ? share : `${share} ${message}`;
      task.status(text, {
        progress,
        ...(total === undefined ? {} : { total }),
        ...(message === undefined ? {} : { message }),
      });
      return Promise.resolve();
    },
    elicit: (params: object, options?: InputOptions) => ask("elicitation/create", params, options),
    sample: (params: object, options?: InputOptions) => ask("sampling/createMessage", params, options),
    listRoots: (options?: InputOptions) => ask("roots/list", {}, options),
    step: (name: string, run: () => unknown) => asked(task.step(name, run)),
    log: () => Promise.resolve(),
    notify: () => Promise.resolve(),
    call: (method: { readonly method: string } | string) =>
      Promise.reject(
        new McpError(
          "NOT_IN_REVISION",
          `A task sends no requests; got ${typeof method === "string" ? method : method.method}. Use elicit, sample or listRoots.`,
        ),
      ),
    task: {
      id: task.id,
      attempt: task.attempt,
      prepared,
      expiresAt: task.expiresAt,
      status: (message: string) => {
        task.status(message);
      },
      extend: (ms: number) => task.extend(ms),
    },
  } as unknown as RequestContext;
}

/** The progress of earlier runs. */
function progressOf({ progress }: TaskContext): number {
  const reached = isRecord(progress) ? progress["progress"] : undefined;
  return typeof reached === "number" ? reached : -Infinity;
}

/**
 * A parked run must end as a suspension of `@tenon/mcp`, so that the tool does not count as failed.
 */
async function asked<T>(waiting: Promise<T>): Promise<T> {
  try {
    return await waiting;
  } catch (error) {
    throw isTaskError(error, "TASK_PARKED")
      ? createSuspension("Suspended until the client has sent its responses. Then the task runs again.")
      : error;
  }
}
