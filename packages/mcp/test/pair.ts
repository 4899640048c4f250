import { wrapTransport } from "@tenon/jsonrpc2";
import { Client, Server, type ClientOptions, type ClientSession, type ServerOptions } from "@tenon/mcp";
import { latest, methodTables, revisions, type Revision } from "@tenon/protocol";
import { createInMemoryTransports } from "@tenon/transports-memory";

/** A client and a server, connected in memory. */
export interface Pair extends AsyncDisposable {
  readonly client: Client;
  readonly server: Server;
  readonly session: ClientSession;
  /** What reached `onError`, of either side. */
  readonly errors: readonly unknown[];
  /** The methods that the client sent, in their order. */
  readonly sent: readonly string[];
  /** The messages that the client received. */
  readonly received: readonly object[];
}

export interface PairOptions {
  readonly revision?: Revision;
  readonly client?: ClientOptions;
  readonly server?: ServerOptions;
}

/** Connects a client to a server. Changes of lists are announced without delay. */
export async function connectPair(
  { revision = latest, client: clientOptions, server: serverOptions }: PairOptions,
  setUp: (server: Server) => void,
): Promise<Pair> {
  const errors: unknown[] = [];
  const onError = (error: unknown): void => void errors.push(error);
  const limits = { listChangedDelayMs: 0, ...serverOptions?.limits };
  const server = new Server({ name: "pair-server", version: "1.0.0" }, { onError, ...serverOptions, limits });
  setUp(server);
  const client = new Client(
    { name: "pair-client", version: "1.0.0" },
    { revisions: [revision], onError, ...clientOptions },
  );
  const [here, there] = createInMemoryTransports();
  await server.connect(there);
  const sent: string[] = [];
  const received: object[] = [];
  const recorded = wrapTransport(here, {
    onWrite: (message) => {
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
    client,
    server,
    session,
    errors,
    sent,
    received,
    async [Symbol.asyncDispose]() {
      await client.close();
      await server.close({ drainMs: 0 });
    },
  };
}

/** The revisions in which a client can be asked for everything. */
export const askingRevisions: readonly Revision[] = revisions.filter(
  (revision) => methodTables[revision]["elicitation/create"] !== undefined,
);

/** The text of a tool's result. */
export function textOf(result: { readonly content: readonly object[] }): string {
  return result.content.map((block) => ("text" in block ? String(block.text) : "")).join("\n");
}
