import type { Peer, Scope } from "@tenon/jsonrpc2";
import { createMemoryBus, createMemoryLeases, createMemorySessionStore } from "@tenon/stores";
import { legacyRevision } from "@tenon/test-support";
import {
  createMemoryEventStore,
  createStreamableHandler,
  type ServerLike,
  type SessionStores,
  type StreamableHandler,
  type StreamableHandlerOptions,
} from "@tenon/transports-streamable-http/server";
import { expect } from "vitest";

import { common, echo, peerServer } from "./setup.ts";

/** Three handlers with the same stores, as three processes would have them. */
export interface Cluster extends AsyncDisposable {
  readonly nodes: readonly StreamableHandler[];
  /** The server's side of the newest session of each node. */
  readonly peers: Peer[];
  /** Sends a request to one of the nodes. */
  send(node: number, method: string, headers: Record<string, string>, message?: unknown): Promise<Response>;
  /** Opens a session at a node. @returns The headers of its requests. */
  open(node: number, headers?: Record<string, string>): Promise<Record<string, string>>;
}

/** Starts the handlers. @param overrides - Stores in place of those in memory. */
export function cluster(
  handle: (scope: Scope, node: number) => unknown = echo,
  options: Partial<StreamableHandlerOptions> = {},
  overrides: Partial<SessionStores> = {},
): Cluster {
  const stores = {
    sessions: createMemorySessionStore(),
    bus: createMemoryBus(),
    events: createMemoryEventStore(),
    leases: createMemoryLeases(),
    ...overrides,
  };
  const peers: Peer[] = [];
  const nodes = [0, 1, 2].map((node) => {
    const plain = peerServer((scope) => handle(scope, node));
    const server: ServerLike = {
      handle: plain.handle,
      async connect(transport) {
        const peer = await plain.connect(transport);
        peers[node] = peer;
        return peer;
      },
    };
    const authenticate: StreamableHandlerOptions["authenticate"] = ({ headers }) => {
      const principal = headers.get("authorization");
      return principal === undefined ? "anonymous" : { principal };
    };
    return createStreamableHandler({ getServer: () => server, stores, authenticate, ...options });
  });
  const send: Cluster["send"] = (node, method, headers, message) => {
    const body = message === undefined ? null : JSON.stringify(message);
    const request = new Request("http://127.0.0.1/mcp", { method, headers: { ...common, ...headers }, body });
    return (nodes[node] as StreamableHandler).fetch(request);
  };
  return {
    nodes,
    peers,
    send,
    async open(node, headers = {}) {
      const params = {
        protocolVersion: legacyRevision,
        capabilities: {},
        clientInfo: { name: "c", version: "1" },
      };
      const response = await send(node, "POST", headers, {
        jsonrpc: "2.0",
        id: "open",
        method: "initialize",
        params,
      });
      expect(response.status).toBe(200);
      await response.text();
      const session = { ...headers, "mcp-session-id": response.headers.get("mcp-session-id") ?? "" };
      await send(node, "POST", session, { jsonrpc: "2.0", method: "notifications/initialized" });
      return session;
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(nodes.map((node) => node.close({ drainMs: 0 })));
    },
  };
}

/** A request of the legacy era. */
export const call = (id: number | string, method = "echo", params: object = {}): object => ({
  jsonrpc: "2.0",
  id,
  method,
  params,
});
