import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from "node:http";

import { Client, type ClientSession, type Server } from "@tenon/mcp";
import type { Revision } from "@tenon/protocol";
import { originOnFreePort } from "@tenon/test-support/http";
import { createInMemoryTransports } from "@tenon/transports-memory";
import { onTestFinished } from "vitest";

/** Connects a client in memory. */
export async function connect(server: Server, revision: Revision): Promise<ClientSession> {
  const [here, there] = createInMemoryTransports();
  const session = await server.connect(there);
  const client = new Client({ name: "client", version: "1.0.0" }, { revisions: [revision] });
  onTestFinished(async () => {
    await client.close();
    await session.close({ drainMs: 0 });
  });
  return client.connect(here);
}

/** Something that serves `node:http`. */
interface NodeServed {
  node(request: IncomingMessage, response: ServerResponse): Promise<void>;
}

/** Serves a handler on a free port until the end of the test; resolves with its origin. */
export async function serve(handler: NodeServed): Promise<string> {
  const http = createHttpServer((request, response) => void handler.node(request, response));
  onTestFinished(() => {
    http.closeAllConnections();
    http.close();
  });
  return originOnFreePort(http);
}
