import { taskMethods, tasksExtension } from "@tenon/host";
import { ErrorCode, RpcError } from "@tenon/jsonrpc2/core";
import { defineServerExtension, type Server, type ServerRequest, type StateKeys } from "@tenon/mcp/server";

import { mayOffer } from "../source/source-feature.ts";
import { withTaskIds } from "../source/source-tasks.ts";
import type { ProxySource, ReceivedParams } from "../source/source.ts";
import { createTaskSeal } from "./task-seal.ts";

/** The tasks of a proxy. */
export interface OfferedTasks {
  /** The result of a call that became a task, with the id for its client. */
  sealed(request: ServerRequest, result: ReceivedParams): Promise<unknown>;
}

/**
 * Offers the tasks of a source to the clients of a server: modern clients by the extension, legacy
 * clients by the capability.
 *
 * @returns `undefined` if the source has no tasks.
 */
export function offerTasks(
  server: Server,
  { tasks }: ProxySource,
  stateKeys: StateKeys | undefined,
): OfferedTasks | undefined {
  if (!mayOffer(tasks)) {
    return undefined;
  }
  const seal = createTaskSeal(stateKeys);
  const handle =
    (method: string) =>
    async (params: ReceivedParams, request: ServerRequest): Promise<unknown> => {
      const sent = params["taskId"];
      const taskId = typeof sent === "string" ? await seal.open(sent, request) : undefined;
      if (taskId === undefined) {
        const name = String(sent).slice(0, 100);
        throw new RpcError(ErrorCode.InvalidParams, `Unknown task: ${name}. It may have expired.`);
      }
      // A response names only the task of its request.
      return withTaskIds(await tasks.request(request, method, { ...params, taskId }), () => String(sent));
    };
  server.use(
    defineServerExtension({
      id: tasksExtension,
      eras: ["modern"],
      setup: (own, host) => {
        host.addResultType("tools/call", "task");
        taskMethods.forEach((definition, method) => own.addMethod(definition, handle(method) as never));
        host.addCapability("tasks", () =>
          tasks.offers("legacy") === false ? undefined : { cancel: {}, requests: { tools: { call: {} } } },
        );
        for (const method of ["tasks/get", "tasks/result", "tasks/cancel"]) {
          host.handle(method, handle(method));
        }
      },
    }),
  );
  return {
    async sealed(request, result) {
      const sealed = new Map<string, string>();
      withTaskIds(result, (id) => (sealed.set(id, ""), id));
      await Promise.all([...sealed.keys()].map(async (id) => sealed.set(id, await seal.seal(id, request))));
      return withTaskIds(result, (id) => sealed.get(id) ?? id);
    },
  };
}
