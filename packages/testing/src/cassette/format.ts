import type { LogEntry } from "@tenon/jsonrpc2";
import type { Era } from "@tenon/protocol";

/** The first line of a cassette. */
export interface CassetteHeader {
  /** The version of the format. */
  readonly tenon: 1;
  /** The side that was recorded: `read` and `write` of the lines are seen from it. */
  readonly side: "client" | "server";
  /** The recorded command without its secrets, or the recorded URL. For display only. */
  readonly target?: string | undefined;
  /** Always `true`: cassettes are redacted before they are written. */
  readonly redacted: true;
}

/** The connection, the stream and the era of a line of a cassette. */
export interface CassetteOrigin {
  /** The connection, counted from 0 in the order in which connections were opened. */
  readonly connection: number;
  /**
   * The request whose stream carried the message, as text. A string ID is in quotes. Absent for the
   * messages of the connection itself.
   */
  readonly stream?: string | undefined;
  /** The era of the message. Absent before the first message that shows it. */
  readonly era?: Era | undefined;
}

/**
 * One line of a cassette after the first: a line of `LoggingTransport`, and where it belongs. `at`
 * is in milliseconds since the connection was opened.
 */
export type CassetteEntry = LogEntry & CassetteOrigin;

/** A recorded conversation: everything that one client and one server said. */
export interface Cassette {
  readonly header: CassetteHeader;
  readonly entries: readonly CassetteEntry[];
}
