import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";

/** Responses that are not sent completely. */
export interface OpenResponses {
  /** Adds the response to a request, until it is sent. */
  add(request: IncomingMessage, response: ServerResponse): void;
  /** Whether a connection has such responses. */
  has(socket: Socket): boolean;
}

/** Creates {@link OpenResponses}. */
export function createOpenResponses(): OpenResponses {
  // A response that waits for others on its connection is never closed if the connection is lost.
  const open = new WeakMap<Socket, Set<ServerResponse>>();
  return {
    add({ socket }, response) {
      const responses = open.get(socket) ?? new Set();
      open.set(socket, responses.add(response));
      response.once("close", () => responses.delete(response));
    },
    has: (socket) => (open.get(socket)?.size ?? 0) > 0,
  };
}
