import type { Transport } from "@tenon/jsonrpc2";
import type { ClientExtension, ClientOptions } from "@tenon/mcp/client";
import type { Cassette } from "@tenon/testing/cassette";

/** The page talks to a server by a client of its own. */
export interface LiveSource {
  readonly kind: "live";
  /** The command or the URL, for display. */
  readonly label: string;
  /**
   * Connects to the server. A function gets what an HTTP transport and its login use instead of
   * `fetch`, so that the page shows their exchanges. It is called for every connection.
   */
  readonly transport: Transport | ((observed: { readonly fetch: typeof fetch }) => Transport);
  /**
   * Options of the client. Elicitation, sampling and roots belong to the person at the page. By
   * default the client has none.
   */
  readonly client?:
    | Omit<ClientOptions, "elicitation" | "sampling" | "roots" | "onError" | "onLog">
    | undefined;
  /** Extensions of the client, for example of `@tenon/tasks`. By default none. */
  readonly extensions?: readonly ClientExtension[] | undefined;
}

/** The page shows what others say: see `Inspector.observe` and `Inspector.write`. */
export interface TapSource {
  readonly kind: "tap";
  /** The name of the host and of the server, for display. */
  readonly label: string;
}

/** The page shows a recorded conversation. */
export interface RecordingSource {
  readonly kind: "recording";
  /** The name of the file, for display. */
  readonly label: string;
  readonly cassette: Cassette;
}

/** The origin of the messages of the page. */
export type InspectorSource = LiveSource | TapSource | RecordingSource;
