import { isRecord } from "@tenon/base";
import { ErrorCode, RpcError } from "@tenon/jsonrpc2/core";
import type { Client, ClientExtensionHost, ClientRequest, ClientSession } from "@tenon/mcp";
import { methodTables } from "@tenon/protocol";

import type { TaskEngine } from "../engine/contract.ts";
import type { TaskDefinition } from "../engine/definition.ts";
import { newTaskId } from "../engine/names.ts";
import { isTaskError } from "../error.ts";
import { announce } from "../legacy/announce.ts";
import { legacyTask } from "../legacy/forms.ts";
import { legacyRequests, outcomeOf } from "../legacy/requests.ts";

/** The capability that each request needs, and its place below `tasks.requests`. */
const hosted = {
  "sampling/createMessage": ["sampling", "createMessage"],
  "elicitation/create": ["elicitation", "create"],
} as const;

type HostedMethod = keyof typeof hosted;

/** The tasks of one server. */
interface Tenant {
  /** The owner of its tasks: no other session sees them. */
  readonly owner: string;
  /** Its tasks that have not ended, with the numbers of their runs. */
  readonly tasks: Map<string, number>;
}

/**
 * Keeps the requests of servers of 2025-11-25 for sampling and elicitation as tasks, if they ask
 * for it. The tasks of a session are cancelled when it ends.
 *
 * @source
 */
export function hostTasks(client: Client, host: ClientExtensionHost<object>, engine: TaskEngine): void {
  const tenants = new WeakMap<ClientSession, Tenant>();
  /** The requests whose tasks have not ended, by the number in the data of the task. */
  const runs = new Map<unknown, (signal: AbortSignal) => unknown>();
  let lastRun = 0;
  // Several clients may share an engine, and the next process must not continue these tasks.
  const suffix = newTaskId();
  const tenantOf = (session: ClientSession): Tenant => {
    const known = tenants.get(session);
    if (known !== undefined) {
      return known;
    }
    const tenant: Tenant = { owner: newTaskId(), tasks: new Map() };
    tenants.set(session, tenant);
    void session.closed.then(() => {
      tenant.tasks.forEach((number, id) => {
        runs.delete(number);
        engine.cancel(id, tenant.owner).catch((error: unknown) => reportUnlessClosed(host, error));
      });
    });
    return tenant;
  };
  const definitionOf = (method: string): TaskDefinition => ({
    name: `${method} ${suffix}`,
    version: "1",
    run: ({ data, signal }) => {
      const run = runs.get(data);
      if (run === undefined) {
        throw new RpcError(ErrorCode.InternalError, "Session of the request is closed");
      }
      return run(signal);
    },
  });
  const create = async (
    session: ClientSession,
    request: ClientRequest,
    ttl: unknown,
    run: (signal: AbortSignal) => unknown,
  ): Promise<object> => {
    const tenant = tenantOf(session);
    const number = ++lastRun;
    runs.set(number, run);
    try {
      const task = await engine.start({
        definition: definitionOf(request.method),
        data: number,
        principal: tenant.owner,
        ttlMs: typeof ttl === "number" && ttl >= 1 ? Math.floor(ttl) : undefined,
      });
      tenant.tasks.set(task.id, number);
      announce(engine, task, {
        session,
        owner: tenant.owner,
        onError: host.onError,
        onEnd: () => {
          runs.delete(number);
          tenant.tasks.delete(task.id);
        },
      });
      return { task: legacyTask(task) };
    } catch (error) {
      runs.delete(number);
      throw isTaskError(error) ? new RpcError(ErrorCode.InternalError, "No room for another task") : error;
    }
  };

  host.addCapability("tasks", (other) => {
    const names = Object.entries(hosted).filter(([, [capability]]) => other(capability) !== undefined);
    const requests = Object.fromEntries(names.map(([, [capability, part]]) => [capability, { [part]: {} }]));
    return names.length === 0 ? undefined : { list: {}, cancel: {}, requests };
  });
  client.addReceivingMiddleware((next) => (request) => {
    const { session, method, params } = request;
    const { task, ...rest } = params;
    return session !== undefined && isRecord(task) && isHosted(method, session)
      ? create(session, request, task["ttl"], (signal) => next(request.with({ params: rest, signal })))
      : next(request);
  });
  const ownerOf = ({ session }: ClientRequest): string => (session && tenantOf(session).owner) ?? newTaskId();
  const { find, get, cancel, list } = legacyRequests(engine, ownerOf);
  host.handle("tasks/get", get);
  host.handle("tasks/cancel", cancel);
  host.handle("tasks/list", list);
  host.handle("tasks/result", async ({ taskId }, request) => {
    const { id } = await find(taskId, request);
    const ended = await engine.result(id, ownerOf(request), { signal: request.signal });
    return outcomeOf(ended ?? (await find(id, request)));
  });
}

function isHosted(method: string, { revision, declaredCapabilities }: ClientSession): method is HostedMethod {
  return (
    Object.hasOwn(hosted, method) &&
    Object.hasOwn(declaredCapabilities, "tasks") &&
    methodTables[revision][method]?.task === true
  );
}

function reportUnlessClosed({ onError }: ClientExtensionHost<object>, error: unknown): void {
  if (!isTaskError(error, "CLOSED")) {
    onError(error);
  }
}
