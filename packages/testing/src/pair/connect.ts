import { checkOptionNames, isRecord } from "@tenon/base";
import { LoggingTransport, wrapTransport, type LogEntry, type Transport } from "@tenon/jsonrpc2/core";
import { createVirtualClock, type VirtualClock } from "@tenon/jsonrpc2/testing";
import { Client, type ClientOptions, type ClientSession } from "@tenon/mcp";
import type { Revision } from "@tenon/protocol";

import { unansweredOf } from "./unanswered.ts";

/** Options of every kind of pair. */
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
  /**
   * Wraps the transport of the client, for example with `faulty`. Messages are recorded as the
   * client sees them. By default the transport is not wrapped.
   */
  readonly wrap?: ((transport: Transport) => Transport) | undefined;
}

/** The names of {@link PairOptions}, for the functions that have further options. */
export const pairOptionNames = "revision client clock wrap";

/** Options of {@link Pair.close}. */
export interface PairCloseOptions {
  /** Whether requests without a response are accepted. Default: `false`. */
  readonly ignoreUnanswered?: boolean | undefined;
}

/** A client and a server that are connected for a test. */
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
  /**
   * Closes the session, and whatever was started for the pair. The server stays usable. Idempotent.
   *
   * @throws `Error` if a request of either side had no response when the pair was closed: a handler
   *   hangs, or the test did not wait for a call. The message has all messages.
   */
  close(options?: PairCloseOptions): Promise<void>;
}

/**
 * Connects a new client by a transport.
 *
 * @param transport - Not connected yet.
 * @param release - Called when the session has ended or could not be opened.
 */
export async function connectPair(
  transport: Transport,
  { revision, client: clientOptions, clock = createVirtualClock(), wrap }: PairOptions,
  release: () => Promise<void>,
): Promise<Pair> {
  const revisions = revision === undefined ? {} : { revisions: [revision] };
  const wire: LogEntry[] = [];
  const sink = { write: (line: string): unknown => wire.push(JSON.parse(line) as LogEntry) };
  const signals = new Map<unknown, AbortSignal>();
  const watched = watchSignals(wrap === undefined ? transport : wrap(transport), signals);
  const client = new Client({ name: "test", version: "1.0.0" }, { ...clientOptions, ...revisions, clock });
  let session: ClientSession;
  try {
    session = await client.connect(new LoggingTransport(watched, sink, { clock }));
  } catch (error) {
    await release();
    throw error;
  }
  const printWire = (): string => wire.map(printEntry).join("\n");
  let closing: Promise<void> | undefined;

  async function close({ ignoreUnanswered = false }: PairCloseOptions): Promise<void> {
    const unanswered = unansweredOf(wire, (id) => signals.get(id)?.aborted === true);
    const printed = printWire();
    try {
      // The clock is virtual: a wait for a handler of the client would never end.
      await session.close({ drainMs: 0 });
    } finally {
      await release();
    }
    if (unanswered.length > 0 && !ignoreUnanswered) {
      const requests = unanswered.map((request) => JSON.stringify(request)).join("\n");
      throw new Error(
        `Expected a response to every request before the pair was closed; missing for:\n${requests}\n\nAll messages:\n${printed}`,
      );
    }
  }

  const connected: Pair = {
    client,
    session,
    clock,
    wire,
    printWire,
    close: (options = {}) => {
      checkOptionNames("close", options, "ignoreUnanswered");
      return (closing ??= close(options));
    },
    [Symbol.asyncDispose]: () => connected.close(),
  };
  return connected;
}

/** Over HTTP only the signal cancels a request, which the log of messages does not show. */
function watchSignals(transport: Transport, signals: Map<unknown, AbortSignal>): Transport {
  return wrapTransport(transport, {
    onWrite(outgoing, options) {
      if (isRecord(outgoing) && "id" in outgoing && options?.signal !== undefined) {
        signals.set(outgoing["id"], options.signal);
      }
      return outgoing;
    },
  });
}

function printEntry(entry: LogEntry): string {
  if (entry.dir === "end") {
    return `${entry.at} ms · end`;
  }
  const arrow = entry.dir === "write" ? "→" : "←";
  return `${entry.at} ms ${arrow} ${"message" in entry ? JSON.stringify(entry.message) : entry.error}`;
}
