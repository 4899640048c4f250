import type { Transport } from "@tenon/jsonrpc2";
import type { ClientExtension, ClientOptions } from "@tenon/mcp/client";
import type { Cassette } from "@tenon/testing/cassette";

import type { ServerChoice } from "../wire/action.ts";

/** The URL of a server, or the command that starts it. */
export type ServerAddress =
  | { readonly url: string }
  | { readonly command: string; readonly args?: readonly string[] | undefined };

/** Options of a login that the person starts in the page. */
export interface InspectorLogin {
  /**
   * Aborts when the person cancels or logs out, or the inspector closes. A logout waits until the
   * login has settled.
   */
  readonly signal: AbortSignal;
  /** Sends the requests of the login, so that the page shows them. */
  readonly fetch: typeof fetch;
  /** The rights that the server has named. */
  readonly scopes: readonly string[];
  /** Receives the events of a provider of `@tenon/auth/client`. The page shows `visit.url`. */
  readonly onEvent: (event: { readonly type: string }) => void;
}

/** Options of a logout that the person starts in the page. */
export type InspectorLogout = Pick<InspectorLogin, "signal" | "fetch" | "onEvent">;

/** The page talks to a server by a client of its own. */
export interface LiveSource {
  readonly kind: "live";
  /** The command or the URL, for display. */
  readonly label: string;
  /**
   * The address at which other programs reach the server. With a URL, the person can check what
   * browsers would see, and add headers to requests. Exported tests connect to it. By default
   * they replay the session.
   */
  readonly address?: ServerAddress | undefined;
  /**
   * Connects to the server. A function gets what an HTTP transport and its login use instead of
   * `fetch`, so that the page shows their exchanges. It is called for every connection.
   */
  readonly transport: Transport | ((observed: { readonly fetch: typeof fetch }) => Transport);
  /**
   * Logs the person in. The inspector then connects again. By default the page offers no login.
   */
  readonly login?: ((options: InspectorLogin) => Promise<void>) | undefined;
  /**
   * Logs the person out. The inspector ends its session first, and then connects again. By default
   * the page offers no logout.
   */
  readonly logout?: ((options: InspectorLogout) => Promise<void>) | undefined;
  /**
   * Sends the requests that the page shows, for example through a proxy. Default: `fetch` of the
   * platform.
   */
  readonly fetch?: typeof fetch | undefined;
  /**
   * Options of the client. Elicitation, sampling and roots belong to the person at the page. By
   * default the client has none.
   */
  readonly client?:
    | Omit<ClientOptions, "elicitation" | "sampling" | "roots" | "onError" | "onLog">
    | undefined;
  /**
   * Further extensions of the client, for example of `@tenon/tasks`. The inspector always
   * declares views of tools and skills. By default it declares no others.
   */
  readonly extensions?: readonly ClientExtension[] | undefined;
}

/** The servers that the person can choose in the page. The page cannot name a command. */
export interface InspectorServers {
  /** Returns the servers of the list, in the order in which the page shows them. */
  list(): Promise<readonly ServerChoice[]>;
  /** The source of a server of the list, or of a server at a URL that the person has entered. */
  open(server: { readonly id: string } | { readonly url: string }): Promise<LiveSource>;
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
