import { Agent, buildConnector, errors, request, type Dispatcher } from "undici";

import { noteFailure, type Wire, type WireResponse } from "../wire.ts";

const connect = buildConnector({ timeout: 30_000 });

// Event streams and slow tools are silent for as long as they like, so neither headers nor bodies have a time limit here: callers have signals.
const agent = new Agent({
  headersTimeout: 0,
  bodyTimeout: 0,
  pipelining: 1,
  connect: (options, callback) => {
    connect(options, (...outcome) => {
      const [, socket] = outcome;
      // The error of a socket is the error of its request, and says nothing about the socket.
      socket?.on("error", (error) => noteFailure(error, { reused: socket.bytesRead > 0 }));
      callback(...outcome);
    });
  },
});

/** `undici` with its own pool: the `fetch` of Node ends a silent body after 300 s, and costs several times as much. */
export const platformWire: Wire = async ({ url, method, headers, body, signal }) => {
  let response: Dispatcher.ResponseData;
  try {
    response = await request(url, {
      dispatcher: agent,
      method: method,
      headers,
      signal,
      body: body ?? null,
    });
  } catch (error) {
    const received = error instanceof errors.SocketError ? (error.socket?.bytesRead ?? 0) : 0;
    if (received > 0) {
      noteFailure(error, { reused: true });
    }
    throw error;
  }
  return wrap(response);
};

function wrap({ statusCode, headers, body }: Dispatcher.ResponseData): WireResponse {
  return {
    status: statusCode,
    header(name) {
      const value = headers[name];
      return typeof value === "object" ? value.join(", ") : value;
    },
    body,
    discard: () => void body.dump({ limit: 64 * 1024 }).catch(() => {}),
  };
}
