import type { IncomingMessage, ServerResponse } from "node:http";

import { errorSink } from "@tenon/jsonrpc2";
import type { ServeContext, StreamableHandler } from "@tenon/transports-streamable-http/server";

/** What is mounted: `createStreamableHandler` and `createSSEHandler` make one. */
export type NodeHandler = Pick<StreamableHandler, "node">;

/** A listener for the `request` event of `node:http`. */
export type NodeListener = (request: IncomingMessage, response: ServerResponse) => void;

/** Options of {@link createNodeListener}. */
export interface NodeListenerOptions {
  /** The path that is served; everything else is answered with 404. Default: every path. */
  readonly path?: string | undefined;
  /**
   * Says who sent a request, after checking it. What it throws refuses the request with 500 and goes to `onError`; to refuse otherwise, answer and return
   * `"answered"`.
   */
  readonly authenticate?:
    | ((
        request: IncomingMessage,
        response: ServerResponse,
      ) => ServeContext["auth"] | "answered" | Promise<ServeContext["auth"] | "answered">)
    | undefined;
  /** Takes what `authenticate` throws, and the errors of a server that `listen` has made. Default: dropped. */
  readonly onError?: ((error: unknown) => void) | undefined;
}

/** Serves the requests of a `node:http` server. */
export function createNodeListener(handler: NodeHandler, options: NodeListenerOptions = {}): NodeListener {
  const { path, authenticate } = options;
  const onError = errorSink(options.onError);

  async function serveAuthenticated(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      const auth = await authenticate?.(request, response);
      if (auth !== "answered") {
        await handler.node(request, response, { auth });
      }
    } catch (error) {
      onError(error);
      if (response.headersSent) {
        // Half an answer must not look like a whole one.
        response.destroy();
      } else {
        response.writeHead(500).end();
      }
    }
  }

  return (request, response) => {
    if (path !== undefined && pathOf(request.url) !== path) {
      response.writeHead(404).end();
    } else if (authenticate === undefined) {
      void handler.node(request, response);
    } else {
      void serveAuthenticated(request, response);
    }
  };
}

function pathOf(url = "/"): string {
  const query = url.indexOf("?");
  return query < 0 ? url : url.slice(0, query);
}
