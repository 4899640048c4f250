import { wrapTransport, type Transport } from "@tenon/jsonrpc2";
import { createVirtualClock, type VirtualClock } from "@tenon/jsonrpc2/testing";
import { Client, Server, type ClientSession, type ServerOptions } from "@tenon/mcp";
import type { Revision } from "@tenon/protocol";
import { createTaskEngine } from "@tenon/tasks";
import { taskClient } from "@tenon/tasks/client";
import { tasks } from "@tenon/tasks/server";
import { createInMemoryTransports } from "@tenon/transports-memory";
import { StreamableClientTransport } from "@tenon/transports-streamable-http/client";
import { createStreamableHandler } from "@tenon/transports-streamable-http/server";
import { onTestFinished } from "vitest";

/** A message that the client sent or received. */
export interface Sent {
  readonly id?: unknown;
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly result?: Readonly<Record<string, unknown>>;
}

/** A client whose calls become tasks that wait, over some transport. */
export interface Followed {
  readonly session: ClientSession;
  readonly server: Server;
  /** The clock of the client: neither polls nor listens come before it advances. */
  readonly clock: VirtualClock;
  readonly errors: readonly unknown[];
  readonly received: readonly Sent[];
  /** The messages with a method that the client sent. */
  sent(method: string): readonly Sent[];
  /** The IDs of the tasks of each listen. */
  listens(): readonly (readonly string[])[];
  /** Lets the tool `gated` go on. */
  open(): void;
  /** Breaks the streams that the server sends on (HTTP). */
  cut(): void;
}

/** Connects the server to a transport for the client. */
export type Link = (server: Server) => Promise<{ readonly transport: Transport; readonly cut?: () => void }>;

/** A connection in memory. */
export const inMemory: Link = async (server) => {
  const [transport, there] = createInMemoryTransports();
  await server.connect(there);
  return { transport };
};

/** Streamable HTTP, whose streams can be cut. */
export const overHttp: Link = (server) => {
  const handler = createStreamableHandler({ getServer: () => server });
  onTestFinished(() => handler.close({ drainMs: 0 }));
  const open = new Set<TransformStreamDefaultController<Uint8Array>>();
  const fetch = async (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
    const response = await handler.fetch(new Request(input, init));
    if (response.headers.get("content-type")?.startsWith("text/event-stream") !== true) {
      return response;
    }
    const cuttable = new TransformStream<Uint8Array, Uint8Array>({
      start: (controller) => void open.add(controller),
    });
    const { status, headers } = response;
    return new Response(response.body?.pipeThrough(cuttable), { status, headers });
  };
  const cut = (): void => {
    open.forEach((controller) => controller.error(new TypeError("The connection was cut.")));
    open.clear();
  };
  const url = new URL("http://127.0.0.1/mcp");
  return Promise.resolve({ transport: new StreamableClientTransport(url, { fetch }), cut });
};

/** Connects a client of a revision. */
export async function followed(
  revision: Revision,
  link: Link,
  options: ServerOptions = {},
): Promise<Followed> {
  const errors: unknown[] = [];
  const onError = (error: unknown): void => void errors.push(error);
  const engine = createTaskEngine({ limits: { maxRunning: 1000, pollIntervalMs: 30_000 } });
  const server = new Server({ name: "server", version: "1.0.0" }, { onError: () => undefined, ...options });
  server.use(tasks({ engine }));
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  server.addTool({ name: "gated", task: "required" }, async () => {
    await opened;
    return "done";
  });
  const clock = createVirtualClock();
  const client = new Client({ name: "client", version: "1.0.0" }, { revisions: [revision], clock, onError });
  client.use(taskClient());
  const { transport, cut = () => undefined } = await link(server);
  const sent: Sent[] = [];
  const received: Sent[] = [];
  const noted = wrapTransport(transport, {
    onWrite: (message) => {
      sent.push(message as Sent);
      return message;
    },
    onRead: (message) => {
      received.push(message as Sent);
      return message;
    },
  });
  const session = await client.connect(noted);
  onTestFinished(async () => {
    await client.close();
    await server.close({ drainMs: 0 });
    await engine.close({ drainMs: 0 });
  });
  const ofMethod = (method: string): readonly Sent[] => sent.filter((message) => message.method === method);
  return {
    session,
    server,
    clock,
    errors,
    received,
    sent: ofMethod,
    listens: () =>
      ofMethod("subscriptions/listen").map(({ params = {} }) => {
        const { taskIds } = params["notifications"] as { readonly taskIds: readonly string[] };
        return taskIds;
      }),
    open: () => open(),
    cut,
  };
}
