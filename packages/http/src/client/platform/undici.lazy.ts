import buildConnector from "undici/lib/core/connect.js";
import Agent from "undici/lib/dispatcher/agent.js";

import { noteFailure, type Wire } from "../wire.ts";
import { Dispatched } from "./dispatched.ts";

const connect = buildConnector({ timeout: 30_000 });

// Event streams and slow tools may be idle indefinitely, so neither headers nor bodies time out
// here. Callers have signals.
const agent = new Agent({
  headersTimeout: 0,
  bodyTimeout: 0,
  pipelining: 1,
  connect: (options, callback) => {
    connect(options, (...outcome) => {
      const [failure, socket] = outcome;
      if (failure !== null) {
        noteFailure(failure, { reused: false, connected: false });
      }
      // The error of a socket is the error of its request, and does not concern the socket.
      socket?.on("error", (error) => noteFailure(error, { reused: socket.bytesRead > 0, connected: true }));
      callback(...outcome);
    });
  },
});

/**
 * Responses are read from the dispatcher of undici directly, because the streams of its `request`
 * would double the cost.
 */
export const undiciWire: Wire = ({ url, method, headers, body, signal }) => {
  if (signal.aborted) {
    return Promise.reject(signal.reason);
  }
  const dispatched = new Dispatched(signal);
  const { origin, pathname, search } = url;
  agent.dispatch({ origin, path: pathname + search, method, headers, body: body ?? null }, dispatched);
  return dispatched.opened;
};
