import { once } from "node:events";
import { createServer } from "node:http";

import { checkOptionNames } from "@tenon/base";
import { Server } from "@tenon/mcp";
import { StreamableClientTransport } from "@tenon/transports-streamable-http/client";
import { createStreamableHandler, type NodeHandler } from "@tenon/transports-streamable-http/server";

import { connectPair, pairOptionNames, type Pair, type PairOptions } from "../pair/connect.ts";

/**
 * Connects a new client to a server over Streamable HTTP and a real socket, on a free port of
 * 127.0.0.1.
 *
 * @param target - A server, or the handler of a server with options of its own. A handler stays
 *   open when the pair is closed.
 * @throws `TypeError` for options that do not exist; whatever prevents the connection.
 */
export async function pairHttp(target: Server | NodeHandler, options: PairOptions = {}): Promise<Pair> {
  checkOptionNames("pairHttp", options, pairOptionNames);
  const own = target instanceof Server ? createStreamableHandler({ getServer: () => target }) : undefined;
  const handler: NodeHandler = own ?? (target as NodeHandler);
  const http = createServer((request, response) => void handler.node(request, response));
  http.listen(0, "127.0.0.1");
  await once(http, "listening");
  const address = http.address();
  const port = typeof address === "object" ? address?.port : undefined;
  // A later server may get the same port.
  const transport = new StreamableClientTransport(`http://127.0.0.1:${port}/mcp`, { eras: false });
  return connectPair(transport, options, async () => {
    await own?.close();
    http.close();
    http.closeAllConnections();
  });
}
