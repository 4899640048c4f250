import { PassThrough } from "node:stream";

import type { Transport } from "@tenon/jsonrpc2";
import type { Server } from "@tenon/mcp";
import type { Revision } from "@tenon/protocol";
import { legacyRevision, modernRevision } from "@tenon/test-support";
import { createInMemoryTransports } from "@tenon/transports-memory";
import { portTransport } from "@tenon/transports-message";
import { StdioTransport } from "@tenon/transports-stdio";
import { StreamableClientTransport } from "@tenon/transports-streamable-http/client";
import {
  createMemoryEventStore,
  createStreamableHandler,
  type SessionOptions,
} from "@tenon/transports-streamable-http/server";

/** A way in which a client can be connected to a server. */
export interface Shape {
  readonly revision: Revision;
  /** Connects a server. */
  serve(server: Server): Endpoint;
}

/** Where clients find a server. */
export interface Endpoint {
  /** A transport of a client of its own. */
  client(): Promise<Connectable>;
  close(): Promise<void>;
}

/** What a client connects by. */
export interface Connectable {
  readonly transport: Transport;
  /** Resolves when the client has what it needs to be told of changes. */
  readonly listening: Promise<void>;
  /** Breaks the connections that are in use, without a word. */
  cut(): void;
}

const nothing = Promise.resolve();

const memory: Shape["serve"] = (server) => ({
  async client() {
    const [here, there] = createInMemoryTransports();
    const session = await server.connect(there);
    return { transport: here, listening: nothing, cut: () => void session.close({ drainMs: 0 }) };
  },
  close: () => server.close(),
});

/** The framing of stdio on pipes of one process. */
const stdio: Shape["serve"] = (server) => ({
  async client() {
    const [up, down] = [new PassThrough(), new PassThrough()];
    await server.connect(new StdioTransport({ stdin: up, stdout: down }));
    return {
      transport: new StdioTransport({ stdin: down, stdout: up }),
      listening: nothing,
      cut: () => up.end(),
    };
  },
  close: () => server.close(),
});

/** A channel, as between two threads. */
const port: Shape["serve"] = (server) => ({
  async client() {
    const { port1, port2 } = new MessageChannel();
    await server.connect(portTransport(port2));
    return { transport: portTransport(port1), listening: nothing, cut: () => port2.close() };
  },
  close: () => server.close(),
});

/** How clients of HTTP differ. */
interface HttpClient {
  /** Whether the client opens the standalone stream. Default: `true`. */
  readonly get?: boolean;
  /** What the client accepts as the response to a POST. Default: everything. */
  readonly accept?: string;
  /** Whether the server tells clients to reopen streams at once. */
  readonly quick?: boolean;
}

function http(
  sessions: SessionOptions | false,
  { get = true, accept, quick = false }: HttpClient = {},
): Shape["serve"] {
  return (server) => {
    const handler = createStreamableHandler({
      getServer: () => server,
      sessions,
      limits: quick ? { retryMs: 1 } : {},
    });
    const client = (): Promise<Connectable> => {
      let lost = new AbortController();
      let opened = (): void => {};
      const listening = new Promise<void>((resolve) => {
        opened = resolve;
      });
      const send = async (input: string | URL, init: RequestInit = {}): Promise<Response> => {
        const headers = new Headers(init.headers);
        const isListener = init.method === "GET" && !headers.has("last-event-id");
        if (isListener && !get) {
          return new Response(null, { status: 405 });
        }
        if (init.method === "POST" && accept !== undefined) {
          headers.set("accept", accept);
        }
        const cut = lost.signal;
        const signal = init.signal == null ? cut : AbortSignal.any([cut, init.signal]);
        const response = await handler.fetch(new Request(input, { ...init, headers, signal }));
        cut.throwIfAborted();
        const { body, status } = response;
        return body === null
          ? response
          : new Response(body.pipeThrough(new TransformStream(), { signal: cut }), {
              status,
              headers: response.headers,
            });
      };
      return Promise.resolve({
        transport: new StreamableClientTransport("http://localhost/mcp", {
          fetch: send,
          eras: false,
          reconnect: { initialDelayMs: 1 },
          onListening: ({ state }) => {
            if (state === "open" || state === "unsupported") {
              opened();
            }
          },
        }),
        listening: sessions === false || !get ? nothing : listening,
        cut: () => {
          const old = lost;
          lost = new AbortController();
          old.abort(new TypeError("The cable was cut."));
        },
      });
    };
    return { client, close: () => handler.close({ drainMs: 0 }) };
  };
}

/** All shapes, by the names of the columns. */
export const shapes: Readonly<Record<string, Shape>> = {
  memory: { revision: legacyRevision, serve: memory },
  stdio: { revision: legacyRevision, serve: stdio },
  port: { revision: legacyRevision, serve: port },
  GET: { revision: legacyRevision, serve: http({}) },
  store: {
    revision: legacyRevision,
    get serve() {
      return http({ eventStore: createMemoryEventStore() }, { quick: true });
    },
  },
  "no GET": { revision: legacyRevision, serve: http({}, { get: false, quick: true }) },
  JSON: {
    revision: legacyRevision,
    serve: http({}, { get: false, accept: "application/json", quick: true }),
  },
  "no session": { revision: legacyRevision, serve: http(false) },
  modern: { revision: modernRevision, serve: http(false) },
};
