import { LoggingTransport, type LogEntry } from "@tenon/jsonrpc2";
import { createVirtualClock, type VirtualClock } from "@tenon/jsonrpc2/testing";
import { checkOptionNames, type OptionNames } from "@tenon/jsonrpc2/transport";
import { Client, type ClientOptions, type ClientSession, type Server } from "@tenon/mcp";
import type { Revision } from "@tenon/protocol";
import { createInMemoryTransports } from "@tenon/transports-memory";

/** Options of {@link pair}. */
export interface PairOptions {
  /** The revision that both sides speak. Default: the newest that the server speaks. */
  readonly revision?: Revision | undefined;
  /** Options of the client, such as the handler of elicitation. By default the client has none. */
  readonly client?: Omit<ClientOptions, "revisions" | "clock"> | undefined;
  /**
   * The clock of the client. Pass the same clock to the server. By default a new virtual clock, so
   * that no timeout of the client expires by itself.
   */
  readonly clock?: VirtualClock | undefined;
}

const optionNames: OptionNames<PairOptions> = { revision: true, client: true, clock: true };

/** A client and a server that are connected in one process. */
export interface Pair extends AsyncDisposable {
  readonly client: Client;
  /** The session of the client. */
  readonly session: ClientSession;
  /** The clock of the client, and of the server if it was created with it. */
  readonly clock: VirtualClock;
  /** Every message so far, in order, as seen from the client. */
  readonly wire: readonly LogEntry[];
  /** The messages as text, one a line: `→` from the client, `←` from the server. */
  printWire(): string;
  /** Closes the session. The server stays usable. Idempotent. */
  close(): Promise<void>;
}

/**
 * Connects a new client to `server` in memory. Every message is serialized, as on any other
 * transport.
 *
 * @throws `TypeError` for options that do not exist; whatever prevents the connection.
 */
export async function pair(server: Server, options: PairOptions = {}): Promise<Pair> {
  checkOptionNames("pair", options, optionNames);
  const { revision, clock = createVirtualClock() } = options;
  const revisions = revision === undefined ? {} : { revisions: [revision] };
  const [here, there] = createInMemoryTransports();
  const wire: LogEntry[] = [];
  const sink = { write: (line: string): unknown => wire.push(JSON.parse(line) as LogEntry) };
  await server.connect(there);
  const client = new Client({ name: "test", version: "1.0.0" }, { ...options.client, ...revisions, clock });
  const session = await client.connect(new LoggingTransport(here, sink, { clock }));
  const connected: Pair = {
    client,
    session,
    clock,
    wire,
    printWire: () => wire.map(printEntry).join("\n"),
    close: () => session.close(),
    [Symbol.asyncDispose]: () => connected.close(),
  };
  return connected;
}

function printEntry(entry: LogEntry): string {
  if (entry.dir === "end") {
    return `${entry.at} ms · end`;
  }
  const arrow = entry.dir === "write" ? "→" : "←";
  return `${entry.at} ms ${arrow} ${"message" in entry ? JSON.stringify(entry.message) : entry.error}`;
}
