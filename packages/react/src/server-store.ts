import type { Transport } from "@tenon/jsonrpc2/core";
import { Client, type ClientOptions, type ClientSession, type ListChangedHandler } from "@tenon/mcp/client";
import type { Implementation } from "@tenon/protocol";
import { StreamableClientTransport } from "@tenon/transports-streamable-http/client";

import { createStore, type ExternalStore } from "./external-store.ts";
import { createInputs, type InputKind, type ServerInput } from "./inputs.ts";

/** Options of `useServer`. The options of the last render apply to the next connection. */
export interface UseServerOptions {
  /** Name and version of the page, as servers see them. */
  readonly info: Implementation;
  /**
   * Makes the transport of a connection, for example with credentials. It receives the URL of
   * `useServer`, resolved against the page. Default: Streamable HTTP,
   * `(url) => new StreamableClientTransport(url)`.
   */
  readonly transport?: ((url: string) => Transport) | undefined;
  /**
   * The kinds of input requests that the page shows: see `inputs` of {@link ServerConnection}. The
   * client declares them to servers. By default the page shows none.
   */
  readonly inputs?: readonly InputKind[] | undefined;
  /** Options of the `Client`, such as `onLog`, `sampling` or `limits`. */
  readonly client?: Omit<ClientOptions, "elicitation"> | undefined;
  /** Called with each new client before it connects, for example to `use` an extension. */
  readonly prepare?: ((client: Client) => void) | undefined;
}

/** The lists of a server that change. Templates belong to `resources`. */
export type ListName = "tools" | "prompts" | "resources";

/** The properties of a server that do not depend on its status. */
export interface ConnectionControls {
  /** The input requests that wait for the user. Each change is a new array. */
  readonly inputs: readonly ServerInput[];
  /** Closes the connection, if there is one, and connects again. */
  readonly reconnect: () => void;
  /**
   * Registers a listener that is called when a list of the server has changed, in any connection.
   * Returns a function that removes the listener.
   */
  readonly onListChanged: (list: ListName, listener: () => void) => () => void;
}

/** The connection to a server, as components see it. Each change is a new object. */
export type ServerConnection = ConnectionControls &
  (
    | {
        /** `idle`: there is no URL. */
        readonly status: "idle" | "connecting";
        readonly session: undefined;
        readonly error: undefined;
      }
    | { readonly status: "ready"; readonly session: ClientSession; readonly error: undefined }
    | {
        /** `failed`: it could not be opened. `closed`: it has ended. */
        readonly status: "failed" | "closed";
        readonly session: undefined;
        /** The reason; `undefined` if it was closed without an error. */
        readonly error: unknown;
      }
  );

/** A connection that is open while components read it. */
export interface ServerStore extends ExternalStore<ServerConnection> {
  /** Replaces the options of the next connection. */
  setOptions(options: UseServerOptions): void;
}

/** Creates the connection to a server. It is opened when a component first reads it. */
export function createServerStore(url: string | undefined, initial: UseServerOptions): ServerStore {
  const listeners = {
    tools: new Set<() => void>(),
    prompts: new Set<() => void>(),
    resources: new Set<() => void>(),
  };
  let options = initial;
  /** Aborts when the current connection is given up. `undefined` while no component reads it. */
  let current: AbortController | undefined;

  const first: ServerConnection = {
    status: url === undefined ? "idle" : "connecting",
    session: undefined,
    error: undefined,
    inputs: [],
    reconnect,
    onListChanged,
  };
  const store = createStore<ServerConnection>(first, () => {
    current = open();
    return () => {
      current?.abort();
      current = undefined;
      store.set(first);
    };
  });

  function reconnect(): void {
    if (current !== undefined) {
      current.abort();
      store.set(first);
      current = open();
    }
  }

  function onListChanged(list: ListName, listener: () => void): () => void {
    // A listener that is registered twice is also removed twice.
    const own = (): void => listener();
    listeners[list].add(own);
    return () => void listeners[list].delete(own);
  }

  function open(): AbortController {
    const ending = new AbortController();
    const { signal } = ending;
    const show = (change: object): void => {
      if (!signal.aborted) {
        store.set({ ...store.snapshot(), ...change });
      }
    };
    if (url !== undefined) {
      connect(url, options, { signal, listeners, show }).catch((error: unknown) =>
        show({ status: "failed", error }),
      );
    }
    return ending;
  }

  return { ...store, setOptions: (next) => void (options = next) };
}

/** The parts of a store that its connection uses. */
interface Connecting {
  /** Aborts when the connection is no longer needed. */
  readonly signal: AbortSignal;
  readonly listeners: Readonly<Record<ListName, ReadonlySet<() => void>>>;
  /** Changes properties of the state. */
  readonly show: (change: object) => void;
}

async function connect(
  url: string,
  { info, transport, inputs: kinds = [], client: given = {}, prepare }: UseServerOptions,
  { signal, listeners, show }: Connecting,
): Promise<void> {
  const inputs = createInputs(kinds, () => show({ inputs: inputs.list() }));
  const tell =
    (list: ListName, handler: ListChangedHandler | undefined): ListChangedHandler =>
    (session) => {
      [...listeners[list]].forEach((listener) => listener());
      return handler?.(session);
    };
  const client = new Client(info, {
    ...given,
    elicitation: inputs.handlers,
    onToolsChanged: tell("tools", given.onToolsChanged),
    onPromptsChanged: tell("prompts", given.onPromptsChanged),
    onResourcesChanged: tell("resources", given.onResourcesChanged),
  });
  prepare?.(client);
  const href = absolute(url);
  const session = await client.connect(
    transport === undefined ? new StreamableClientTransport(href) : transport(href),
    { signal },
  );
  const close = (): void => void session.close().catch(() => undefined);
  signal.addEventListener("abort", close);
  if (signal.aborted) {
    close();
  }
  show({ status: "ready", session });
  const { error } = await session.closed;
  show({ status: "closed", session: undefined, error });
}

/**
 * Resolves a URL against the page, as `fetch` does. Called for connections only, because rendering
 * on a server must have the same result as the first rendering in the browser.
 */
function absolute(url: string): string {
  // An empty URL is a variable without a value, and not this page.
  return url === "" || /^[a-z][a-z\d+.-]*:/i.test(url) || typeof document === "undefined"
    ? url
    : new URL(url, document.baseURI).href;
}
