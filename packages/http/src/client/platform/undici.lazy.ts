import type { Dispatcher } from "undici";
import buildConnector from "undici/lib/core/connect.js";
import Agent from "undici/lib/dispatcher/agent.js";

import { noteFailure, type Wire, type WireRequest, type WireResponse } from "../wire.ts";
import { Dispatched } from "./dispatched.ts";
import { tlsText } from "./tls-text.ts";

/** Opens the connections of an agent. */
export type Connect = ReturnType<typeof buildConnector>;

/** Connects to a server without a proxy. */
export const connectDirectly: Connect = buildConnector({ timeout: 30_000 });

/**
 * Creates an agent. Event streams and slow tools may be idle indefinitely, so neither headers nor
 * bodies time out here. Callers have signals.
 */
export function agentOf(connect: Connect): Dispatcher {
  return new Agent({
    headersTimeout: 0,
    bodyTimeout: 0,
    pipelining: 1,
    connect: (options, callback) => {
      connect(options, (...outcome) => {
        const [failure, socket] = outcome;
        if (failure !== null) {
          noteFailure(failure, { reused: false, connected: false, text: tlsText(failure) });
        }
        // The error of a socket is the error of its request, and does not concern the socket.
        socket?.on("error", (error) => noteFailure(error, { reused: socket.bytesRead > 0, connected: true }));
        callback(...outcome);
      });
    },
  });
}

/** Maximum number of agents in a table. */
const maxAgents = 16;

/**
 * Keeps an agent for each proxy or socket. Above {@link maxAgents}, the oldest agent is closed once
 * its requests are done.
 *
 * @param connectTo - Opens the connections of the agent for a key.
 */
export function agentTable(connectTo: (key: string) => Connect): (key: string) => Dispatcher {
  const agents = new Map<string, Dispatcher>();
  return (key) => {
    const known = agents.get(key);
    if (known !== undefined) {
      return known;
    }
    const [oldest] = agents.keys();
    if (agents.size >= maxAgents && oldest !== undefined) {
      void agents.get(oldest)?.close();
      agents.delete(oldest);
    }
    const agent = agentOf(connectTo(key));
    agents.set(key, agent);
    return agent;
  };
}

const direct = agentOf(connectDirectly);

/**
 * Sends a request without a proxy. Responses are read from the dispatcher of undici directly,
 * because the streams of its `request` would double the cost.
 */
export const undiciWire: Wire = (request) => dispatch(direct, request);

/** Sends a request. @param target - Where it is sent, if not to its URL. */
export function dispatch(
  agent: Dispatcher = direct,
  { url, method, headers, body, signal }: WireRequest,
  target?: { readonly origin: string; readonly path: string },
): Promise<WireResponse> {
  if (signal.aborted) {
    return Promise.reject(signal.reason);
  }
  const dispatched = new Dispatched(signal);
  const { origin, path } = target ?? { origin: url.origin, path: url.pathname + url.search };
  agent.dispatch({ origin, path, method, headers, body: body ?? null }, dispatched);
  return dispatched.opened;
}
