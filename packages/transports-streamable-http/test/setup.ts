import { createServer, type Server } from "node:http";

import { Peer, type Cancellation, type Handler, type Transport } from "@tenon/jsonrpc2";
import { StatelessPeer } from "@tenon/jsonrpc2/stateless";
import { legacyRevision, modernRevision } from "@tenon/test-support";
import { listenOnFreePort } from "@tenon/test-support/http";
import {
  createStreamableHandler,
  type ServeContext,
  type ServerLike,
  type StreamableHandler,
  type StreamableHandlerOptions,
} from "@tenon/transports-streamable-http/server";

/** A handler that listens. */
export interface Listening extends AsyncDisposable {
  readonly url: URL;
  readonly http: Server;
  readonly handler: StreamableHandler;
}

const cancellation: Cancellation = {
  notification: () => undefined,
  read: ({ method, params }) =>
    method === "notifications/cancelled"
      ? { id: (params as { requestId: string }).requestId, reason: "cancelled" }
      : undefined,
};

/**
 * A server that knows just enough of the protocol for a transport to be tested with: `initialize`,
 * and what `handler` adds.
 */
export function peerServer(
  handler: Handler,
): Pick<ServerLike, "handle"> & { connect(transport: Transport): Promise<Peer> } {
  const stateless = new StatelessPeer();
  const answer: Handler = (scope) =>
    scope.method === "initialize"
      ? {
          protocolVersion: (scope.params as { protocolVersion: string }).protocolVersion,
          capabilities: {},
          serverInfo: { name: "peer", version: "1.0.0" },
        }
      : handler(scope);
  return {
    handle: (message, caller) => stateless.handle(message, caller, answer),
    connect: async (transport) =>
      new Peer(await transport.connect(), { cancellation, batches: () => true, handler: answer }),
  };
}

/** Answers every request with its method. */
export const echo: Handler = (scope) => ({ method: scope.method });

/** Serves on a free port. */
export async function listen(
  handle: Handler = echo,
  options: Partial<StreamableHandlerOptions> = {},
  contextOf: (authorization: string | undefined) => ServeContext = () => ({}),
): Promise<Listening> {
  const server = peerServer(handle);
  const handler = createStreamableHandler({ getServer: () => server, ...options });
  const http = createServer((request, response) => {
    void handler.node(request, response, contextOf(request.headers.authorization));
  });
  const port = await listenOnFreePort(http);
  return {
    url: new URL(`http://127.0.0.1:${port}/mcp`),
    http,
    handler,
    async [Symbol.asyncDispose]() {
      await handler.close({ drainMs: 0 });
      http.closeAllConnections();
      http.close();
    },
  };
}

const meta = {
  "io.modelcontextprotocol/protocolVersion": modernRevision,
  "io.modelcontextprotocol/clientCapabilities": {},
};

/** What every POST carries. */
export const common = {
  "content-type": "application/json",
  accept: "application/json, text/event-stream",
};

/** A request as `fetch` takes it. */
export interface ModernRequest {
  readonly method: "POST";
  readonly headers: Record<string, string>;
  readonly body: string;
}

/** A modern request: its body and the headers that go with it. */
export function modern(method: string, params: object = {}, id: string | number = 1): ModernRequest {
  const { name } = params as { name?: string };
  return {
    method: "POST",
    headers: {
      ...common,
      "mcp-protocol-version": modernRevision,
      "mcp-method": method,
      ...(name === undefined ? {} : { "mcp-name": name }),
    },
    body: JSON.stringify({ jsonrpc: "2.0", id, method, params: { ...params, _meta: meta } }),
  };
}

/** Posts a message of the legacy era. */
export function post(url: URL, message: unknown, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(url, { method: "POST", headers: { ...common, ...headers }, body: JSON.stringify(message) });
}

/** Opens a legacy session. @returns The headers of its requests. */
export async function open(
  url: URL,
  headers: Record<string, string> = {},
  protocolVersion: string = legacyRevision,
): Promise<Record<string, string>> {
  const params = { protocolVersion, capabilities: {}, clientInfo: { name: "test", version: "1.0.0" } };
  const response = await post(url, { jsonrpc: "2.0", id: "open", method: "initialize", params }, headers);
  await response.arrayBuffer();
  return { ...headers, "mcp-session-id": response.headers.get("mcp-session-id") ?? "" };
}

/** The code of a JSON-RPC error in a response. */
export async function codeOf(response: Response): Promise<number | undefined> {
  const { error } = (await response.json()) as { error?: { code: number } };
  return error?.code;
}
