import type { Client, ClientOptions } from "@tenon/mcp/client";
import type { ServerChange, ServerRequest } from "@tenon/mcp/server";
import type { CreateMessageRequestParams, CreateMessageResult, ElicitResult } from "@tenon/protocol";

/** Forwards what a server sends by itself to the clients in front of its proxy. */
export interface Forwarding {
  /** Options of the client that talks to the server. */
  readonly client: Pick<
    ClientOptions,
    "elicitation" | "sampling" | "roots" | "onToolsChanged" | "onPromptsChanged" | "onResourcesChanged"
  >;
  /** Sends a request for input of the user to the client whose request is running. */
  elicit(params: object): Promise<ElicitResult>;
  /** Sends a request for a message of the model to the client whose request is running. */
  sample(params: CreateMessageRequestParams): Promise<CreateMessageResult>;
  /** Prepares the client of the server before it connects. */
  prepare(client: Client): void;
  /** Runs a request of the client. The client gets input requests that arrive before its end. */
  during<T>(request: ServerRequest, work: () => Promise<T>): Promise<T>;
  /** Sets the function that gets the changes of lists. */
  onListChange(listener: (change: ServerChange) => void): void;
}

/**
 * Creates the forwarding. Servers up to 2025-11-25 do not name the request for which they need
 * input, so the newest running request is used. A client without the capability refuses.
 */
export function createForwarding(): Forwarding {
  const running = new Set<ServerRequest>();
  // Before there is a listener no client has a list.
  let listener: (change: ServerChange) => void = () => {};
  const changed = (list: string) => (): void =>
    listener({ method: `notifications/${list}/list_changed`, origin: "behind the proxy" });
  const newest = (): ServerRequest | undefined => [...running].at(-1);
  const elicit = async (params: object): Promise<ElicitResult> => {
    const request = newest();
    if (request === undefined) {
      return { action: "cancel" };
    }
    const { action, content }: { action: ElicitResult["action"]; content?: unknown } = await request.elicit(
      params as never,
    );
    return {
      action,
      ...(content === undefined ? {} : { content: content as NonNullable<ElicitResult["content"]> }),
    };
  };
  const sample = (params: CreateMessageRequestParams): Promise<CreateMessageResult> =>
    newestOf(newest()).sample(params);
  return {
    elicit,
    sample,
    client: {
      elicitation: { form: elicit, url: elicit },
      sampling: { createMessage: sample, tools: true, context: true },
      // The client in front is asked for its roots at each request.
      roots: [],
      onToolsChanged: changed("tools"),
      onPromptsChanged: changed("prompts"),
      onResourcesChanged: changed("resources"),
    },
    prepare(client) {
      client.addReceivingMiddleware(
        (next) => async (request) =>
          request.method === "roots/list" ? { roots: await newestOf(newest()).listRoots() } : next(request),
      );
    },
    async during(request, work) {
      running.add(request);
      try {
        return await work();
      } finally {
        running.delete(request);
      }
    },
    onListChange(next) {
      listener = next;
    },
  };
}

function newestOf(request: ServerRequest | undefined): ServerRequest {
  if (request === undefined) {
    throw new Error("No request of the client is running that could pass on the input request.");
  }
  return request;
}
