import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";

/** Responses that are not sent completely. */
export interface OpenResponses {
  /** Adds the response to a request, until it is sent. */
  add(request: IncomingMessage, response: ServerResponse): void;
  /** Returns the connections of the responses. */
  sockets(): ReadonlySet<Socket>;
}

/** Creates {@link OpenResponses}. */
export function createOpenResponses(): OpenResponses {
  const open = new Map<ServerResponse, Socket>();
  return {
    add({ socket }, response) {
      open.set(response, socket);
      response.once("close", () => open.delete(response));
    },
    sockets: () => new Set(open.values()),
  };
}
