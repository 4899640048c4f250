import type { ElicitationHandlers } from "@tenon/mcp/client";
import type { ServerRequest } from "@tenon/mcp/server";
import type { ElicitResult } from "@tenon/protocol";

/** Forwards input requests of the server behind a proxy to the client in front of it. */
export interface Asking {
  readonly handlers: ElicitationHandlers;
  /** Runs a request of the client. The client gets input requests that arrive before its end. */
  during<T>(request: ServerRequest, work: () => Promise<T>): Promise<T>;
}

/**
 * Creates the forwarding. Servers up to 2025-11-25 do not name the request for which they need
 * input, so the newest running request is used.
 */
export function createAsking(): Asking {
  const running = new Set<ServerRequest>();
  const elicit = async (params: object): Promise<ElicitResult> => {
    const request = [...running].at(-1);
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
  return {
    handlers: { form: elicit, url: elicit },
    async during(request, work) {
      running.add(request);
      try {
        return await work();
      } finally {
        running.delete(request);
      }
    },
  };
}
