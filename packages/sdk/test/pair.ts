import {
  Client,
  receivingMethod,
  Server,
  type ClientOptions,
  type ClientSession,
  type RequestContext,
  type ServerOptions,
} from "@tenon/mcp";

import type { Connectable, Shape } from "./shapes.ts";

/** A server with a client. */
export interface Pair extends AsyncDisposable {
  readonly server: Server;
  readonly session: ClientSession;
  readonly connectable: Connectable;
  /** How often the client was asked whether it is there. */
  readonly pings: { count: number };
  /** Connects another client. */
  another(options?: ClientOptions): Promise<ClientSession>;
}

const reply = { role: "assistant", model: "m", content: { type: "text", text: "Hello" } } as const;

const answering: ClientOptions = {
  roots: [{ uri: "file:///work" }],
  sampling: { createMessage: () => reply },
  elicitation: { form: () => ({ action: "accept", content: { name: "Ada" } }) },
};

/**
 * A server with a tool `hello` and a resource `test://a`, and a client that answers whatever it is
 * asked.
 */
export async function pair(
  shape: Shape,
  options: ServerOptions = {},
  clientOptions: ClientOptions = {},
  setUp: (server: Server) => void = () => {},
): Promise<Pair> {
  const server = new Server({ name: "server", version: "1.0.0" }, { onError: () => {}, ...options });
  server.addTool({ name: "hello" }, () => "world");
  server.addResource({ uri: "test://a", name: "a" }, () => "text");
  setUp(server);
  const endpoint = shape.serve(server);
  const open = async (own: ClientOptions): Promise<{ session: ClientSession; connectable: Connectable }> => {
    const connectable = await endpoint.client();
    const client = new Client(
      { name: "client", version: "1.0.0" },
      { revisions: [shape.revision], ...answering, onError: () => {}, ...own },
    );
    client.addReceivingMiddleware(
      receivingMethod("ping", (request, next) => {
        pings.count++;
        return next(request);
      }),
    );
    const session = await client.connect(connectable.transport);
    await connectable.listening;
    return { session, connectable };
  };
  const pings = { count: 0 };
  const first = await open(clientOptions);
  const all = [first.session];
  return {
    server,
    ...first,
    pings,
    async another(own = {}) {
      const { session } = await open(own);
      all.push(session);
      return session;
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(all.map((session) => session.close({ drainMs: 0 })));
      await endpoint.close();
      await server.close({ drainMs: 0 });
    },
  };
}

/** A promise and what resolves it. */
export function deferred(): {
  readonly promise: Promise<unknown>;
  readonly resolve: (value?: unknown) => void;
} {
  let resolve: (value?: unknown) => void = () => {};
  const promise = new Promise((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}

/** A tool `wait`, which runs until it is released, and says when it has begun. */
export function waiting(): {
  setUp(server: Server): void;
  begun: Promise<RequestContext>;
  release(): void;
  running(): number;
} {
  let begin: (context: RequestContext) => void = () => {};
  let release = (): void => {};
  let running = 0;
  const begun = new Promise<RequestContext>((resolve) => {
    begin = resolve;
  });
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  return {
    setUp: (server) =>
      server.addTool({ name: "wait" }, async (_, context) => {
        running++;
        begin(context);
        await released;
        running--;
        return "done";
      }),
    begun,
    release,
    running: () => running,
  };
}
