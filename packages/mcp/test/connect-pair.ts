import { wrapTransport, type Outgoing } from "@tenon/jsonrpc2";
import { Client, Server, type ClientOptions, type ClientSession, type ServerOptions } from "@tenon/mcp";
import type { Revision } from "@tenon/protocol";
import { createInMemoryTransports } from "@tenon/transports-memory";

/** A client connected to a server, and what went over the wire. */
export interface Pair extends AsyncDisposable {
  readonly server: Server;
  readonly client: Client;
  readonly session: ClientSession;
  /** The methods that the client sent, in their order. */
  readonly sent: string[];
  /** The messages that the client received. */
  readonly received: object[];
}

/** Connects a client to a server in one revision. */
export async function connectPair(
  revision: Revision,
  setUp: (server: Server) => void,
  options: { readonly server?: ServerOptions; readonly client?: ClientOptions } = {},
): Promise<Pair> {
  const server = new Server(
    { name: "server", version: "1" },
    { ...options.server, limits: { listChangedDelayMs: 0, ...options.server?.limits } },
  );
  setUp(server);
  const client = new Client({ name: "client", version: "1" }, { ...options.client, revisions: [revision] });
  const [here, there] = createInMemoryTransports();
  await server.connect(there);
  const sent: string[] = [];
  const received: object[] = [];
  const recorded = wrapTransport(here, {
    onWrite: (message: Outgoing) => {
      if ("method" in message) {
        sent.push(message.method);
      }
      return message;
    },
    onRead: (message) => {
      received.push(message);
      return message;
    },
  });
  const session = await client.connect(recorded);
  return {
    server,
    client,
    session,
    sent,
    received,
    async [Symbol.asyncDispose]() {
      await client.close();
      await server.close();
    },
  };
}

/** Something that a callback will give, one at a time. */
export function inbox<T>(): { readonly put: (value: T) => void; take(): Promise<T>; readonly waiting: T[] } {
  const waiting: T[] = [];
  const takers: ((value: T) => void)[] = [];
  return {
    waiting,
    put: (value) => {
      const taker = takers.shift();
      if (taker === undefined) {
        waiting.push(value);
      } else {
        taker(value);
      }
    },
    take: () =>
      new Promise((resolve) => {
        if (waiting.length > 0) {
          resolve(waiting.shift() as T);
        } else {
          takers.push(resolve);
        }
      }),
  };
}
