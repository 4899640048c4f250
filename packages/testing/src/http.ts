/**
 * A client and a server that are connected over HTTP without a socket.
 *
 * @packageDocumentation
 */

import { checkOptionNames } from "@tenon/base";
import { Server } from "@tenon/mcp";
import { StreamableClientTransport } from "@tenon/transports-streamable-http/client";
import { createStreamableHandler, type StreamableHandler } from "@tenon/transports-streamable-http/server";

import { connectPair, pairOptionNames, type Pair, type PairOptions } from "./pair/connect.ts";

export type { Pair, PairCloseOptions, PairOptions } from "./pair/connect.ts";

const url = "http://localhost/mcp";

/**
 * Connects a new client to a server over Streamable HTTP, without a socket: requests go to the
 * `fetch` of the handler. Sessions, event streams, headers and status codes are as with a real
 * server.
 *
 * @param target - A server, or the handler of a server with options of its own. A handler stays
 *   open when the pair is closed.
 * @throws `TypeError` for options that do not exist; whatever prevents the connection.
 */
export async function pairFetch(
  target: Server | Pick<StreamableHandler, "fetch">,
  options: PairOptions = {},
): Promise<Pair> {
  checkOptionNames("pairFetch", options, pairOptionNames);
  const { handler, release } = handlerOf(target);
  const transport = new StreamableClientTransport(url, {
    // All pairs have one URL, so nothing may be remembered about its server.
    eras: false,
    fetch: (input, init) => handler.fetch(new Request(input, init)),
  });
  return connectPair(transport, options, release);
}

function handlerOf(target: Server | Pick<StreamableHandler, "fetch">): {
  readonly handler: Pick<StreamableHandler, "fetch">;
  readonly release: () => Promise<void>;
} {
  if (!(target instanceof Server)) {
    return { handler: target, release: () => Promise.resolve() };
  }
  const handler = createStreamableHandler({ getServer: () => target });
  return { handler, release: () => handler.close() };
}
