import { askForTask, HeldTasks, tasksExtension, takesTasks, type CallRelay, type Lanes } from "@tenon/host";
import type { ForwardOptions } from "@tenon/host";
import { ErrorCode, RpcError } from "@tenon/jsonrpc2/core";
import type { ClientSession } from "@tenon/mcp/client";
import type { ServerRequest } from "@tenon/mcp/server";
import { eraOf, type Tool } from "@tenon/protocol";

import type { SourceFeature } from "./source-feature.ts";
import type { ReceivedParams } from "./source.ts";

/** The tasks of a server that is connected to. */
export interface ConnectedTasks extends SourceFeature, AsyncDisposable {
  /** Notes which tools have tasks. */
  learn(tools: readonly Tool[]): void;
  /** Forgets which tools have tasks. */
  forget(): void;
  /**
   * Returns how to forward a call. `undefined` if no tool of the server has tasks.
   */
  choose(request: ServerRequest, params: ReceivedParams): Promise<ForwardOptions> | undefined;
}

/** The dependencies of the tasks of a server. */
export interface ConnectedTasksSetup {
  readonly relay: CallRelay;
  readonly lanes: Lanes;
  /** The session that tells what the server is. It may have ended. */
  readonly latest: () => ClientSession | undefined;
  /** Whether another server may be in the place of that session. */
  readonly hasEnded: () => boolean;
  /** Lists the tools, so that they are learned. */
  readonly list: (request: ServerRequest) => Promise<unknown>;
}

/** Maximum number of tools whose support is remembered. Older ones are forgotten. */
const maxTools = 10_000;

/** Creates the tasks of a server. */
export function connectedTasks({
  relay,
  lanes,
  latest,
  hasEnded,
  list,
}: ConnectedTasksSetup): ConnectedTasks {
  const held = new HeldTasks(relay, lanes);
  /** The support for tasks of the tools of a legacy server, by name. */
  const support = new Map<string, unknown>();

  /** The session that decides. */
  function present(): ClientSession | undefined {
    return hasEnded() ? undefined : latest();
  }

  async function chosen(request: ServerRequest, params: ReceivedParams): Promise<ForwardOptions> {
    const session = present() ?? (await lanes.view(relay.callerOf(request), request.signal)).session;
    if (!hasLegacyTasks(session) || params["task"] !== undefined) {
      return {};
    }
    const name = String(params["name"]);
    if (!support.has(name)) {
      await list(request);
    }
    const own = support.get(name);
    if (own !== "required" && own !== "optional") {
      return {};
    }
    return takesTasks(request)
      ? { task: (lane, task) => held.keep(request, lane, task) }
      : own === "required"
        ? { task: "follow" }
        : {};
  }

  return {
    learn(tools) {
      for (const { name, execution } of tools as readonly (Tool & { readonly execution?: unknown })[]) {
        support.delete(name);
        support.set(name, (execution as { readonly taskSupport?: unknown } | undefined)?.taskSupport);
        const [oldest] = support.keys();
        if (support.size > maxTools && oldest !== undefined) {
          support.delete(oldest);
        }
      }
    },
    forget: () => support.clear(),
    choose(request, params) {
      const session = present();
      return session === undefined || hasLegacyTasks(session) ? chosen(request, params) : undefined;
    },
    offers(era) {
      const session = latest();
      if (session === undefined) {
        return undefined;
      }
      return session.era === "modern"
        ? era === "modern" && Object.hasOwn(session.serverCapabilities.extensions ?? {}, tasksExtension)
        : hasLegacyTasks(session);
    },
    async request(request, method, { taskId: given, inputResponses }) {
      const taskId = String(given);
      const { signal } = request;
      const caller = relay.callerOf(request);
      const isModern = eraOf(request.revision) === "modern";
      if (isModern && held.has(taskId)) {
        // It needs no other connection than its own.
        switch (method) {
          case "tasks/get":
            return held.get(request, taskId);
          case "tasks/cancel":
            return held.cancel(request, taskId);
          case "tasks/update":
            return held.update(request, taskId, inputResponses);
        }
      }
      const { session: viewed } = await lanes.view(caller, signal);
      if (viewed.era === "modern") {
        const params = { taskId, ...(inputResponses === undefined ? {} : { inputResponses }) };
        return lanes.use(caller, signal, ({ session }) =>
          askForTask(session, method, params, { signal, capabilities: caller.inputs }),
        );
      }
      const ask = (asked: "tasks/get" | "tasks/cancel"): Promise<object> =>
        lanes.use(caller, signal, ({ session }) => session.request(asked, { taskId }, { signal }));
      switch (method) {
        case "tasks/get":
          return isModern ? held.get(request, taskId) : ask(method);
        case "tasks/cancel":
          return isModern ? held.cancel(request, taskId) : ask(method);
        case "tasks/update":
          return held.update(request, taskId, inputResponses);
        case "tasks/result":
          return relay.forward(request, lanes, { taskId }, method);
        default:
          throw new RpcError(ErrorCode.MethodNotFound, `Unknown method: ${method}`);
      }
    },
    [Symbol.asyncDispose]: () => held[Symbol.asyncDispose](),
  };
}

/** Whether a legacy server makes tasks of calls of tools. */
function hasLegacyTasks({ era, serverCapabilities }: ClientSession): boolean {
  const { tasks } = serverCapabilities as {
    readonly tasks?: { readonly requests?: { readonly tools?: { readonly call?: object } } };
  };
  return era === "legacy" && tasks?.requests?.tools?.call !== undefined;
}
