import { createServer, type Server as HttpServer } from "node:http";

import { Client, type ClientSession } from "@tenon/mcp/client";
import { Server } from "@tenon/mcp/server";
import { createSSEHandler, SSEClientTransport } from "@tenon/transports-sse";

/** A server for clients of 2024-11-05, on a port. */
export function serveByEvents(port: number): HttpServer {
  // #region sse-server
  const server = new Server({ name: "greeter", version: "1.0.0" });
  server.addTool({ name: "greet" }, () => "Hello!");

  const handler = createSSEHandler({ getServer: () => server });
  const http = createServer((request, response) => void handler.node(request, response));
  http.listen(port, "127.0.0.1");
  // #endregion sse-server
  return http;
}

/** A client of that server. */
export async function connectByEvents(port: number): Promise<ClientSession> {
  // #region sse-client
  const client = new Client({ name: "desk", version: "1.0.0" });
  const session = await client.connect(new SSEClientTransport(`http://127.0.0.1:${port}/sse`));
  // #endregion sse-client
  return session;
}
