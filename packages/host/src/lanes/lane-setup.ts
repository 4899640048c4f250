import { ErrorCode, RpcError } from "@tenon/jsonrpc2/core";
import type { Client, ClientOptions, ClientRequest, InputCapabilities } from "@tenon/mcp";

import { takeTasks } from "./tasks.ts";

/** The requirements on the client of a lane. */
export interface LaneSetup {
  /** Options of the client. */
  readonly options: ClientOptions;
  /** Called with the client before it connects. */
  prepare(client: Client): void;
}

/** Receives the messages of the server of a lane. */
interface LaneReceiver {
  /** Called with the client before it connects. */
  prepared(client: Client): void;
  /** Returns the response to an input request. */
  asked(request: ClientRequest): Promise<unknown>;
  /** Called with each log message. */
  logged(request: ClientRequest): void;
  listChanged(list: "tools" | "prompts" | "resources"): void;
}

/** The input requests that servers send. */
const inputMethods: ReadonlySet<string> = new Set([
  "elicitation/create",
  "sampling/createMessage",
  "roots/list",
]);

/**
 * Makes the requirements on the client of a lane.
 *
 * @param inputs - The input that the client declares. By default all that servers can request.
 */
export function laneSetup(receiver: LaneReceiver, inputs: InputCapabilities | undefined): LaneSetup {
  const refuse = (): never => {
    throw new RpcError(ErrorCode.InternalError, "Input requests are passed on by middleware.");
  };
  return {
    options: {
      elicitation: { form: refuse, url: refuse },
      sampling: { createMessage: refuse, tools: true, context: true },
      roots: [],
      ...(inputs === undefined ? {} : { capabilities: inputs }),
      cache: false,
      onToolsChanged: () => receiver.listChanged("tools"),
      onPromptsChanged: () => receiver.listChanged("prompts"),
      onResourcesChanged: () => receiver.listChanged("resources"),
    },
    prepare: (client) => {
      receiver.prepared(client);
      takeTasks(client);
      client.addReceivingMiddleware((next) => (request) => {
        if (inputMethods.has(request.method)) {
          return receiver.asked(request);
        }
        if (request.method === "notifications/message") {
          receiver.logged(request);
        }
        return next(request);
      });
    },
  };
}
