import type { Connection, Transport } from "@tenon/jsonrpc2";
import { Server, type ServerOptions } from "@tenon/mcp";
import { createInMemoryTransports } from "@tenon/transports-memory";

import type { CommonSpec, CustomSpec, HostEvents, Manager } from "../src/index.ts";

/** A real server in this process, which can be lost and refused like one elsewhere. */
export interface LocalServer {
  readonly server: Server;
  /** How a manager reaches it. */
  readonly spec: CustomSpec;
  /** How often it was connected to. */
  readonly connects: number;
  /** The methods of the requests that arrived, in order. */
  readonly requests: string[];
  /** Ends all connections, as a crash would. */
  crash(): Promise<void>;
  /** From now on `connect` rejects (or works again, without an error). */
  refuse(error: Error | undefined): void;
}

export interface LocalOptions extends CommonSpec {
  readonly pool?: "stdio" | "remote" | undefined;
  readonly server?: ServerOptions | undefined;
  /** Called before each connection is made. */
  readonly onConnect?: ((signal: AbortSignal | undefined) => Promise<void>) | undefined;
}

/** Makes a server with an `echo` tool, or with what `setUp` adds. */
export function localServer(
  setUp: (server: Server) => void = addEcho,
  { server: serverOptions, onConnect, ...common }: LocalOptions = {},
): LocalServer {
  const server = new Server(
    { name: "local", version: "1.0.0" },
    { ...serverOptions, limits: { listChangedDelayMs: 0, ...serverOptions?.limits } },
  );
  setUp(server);
  const requests: string[] = [];
  server.addReceivingMiddleware((next) => (request) => {
    requests.push(request.method);
    return next(request);
  });
  const connections = new Set<Connection>();
  let connects = 0;
  let refusal: Error | undefined;
  const transport = (): Transport => ({
    async connect({ signal } = {}) {
      connects++;
      await onConnect?.(signal);
      if (refusal !== undefined) {
        throw refusal;
      }
      const [here, there] = createInMemoryTransports();
      await server.connect({
        async connect(options) {
          const connection = await there.connect(options);
          connections.add(connection);
          return connection;
        },
      });
      return here.connect({ signal });
    },
  });
  return {
    server,
    spec: { type: "custom", transport, ...common },
    requests,
    get connects() {
      return connects;
    },
    async crash() {
      const lost = [...connections];
      connections.clear();
      await Promise.all(lost.map((connection) => connection.close()));
    },
    refuse(error) {
      refusal = error;
    },
  };
}

export function addEcho(server: Server): void {
  server.addTool(
    {
      name: "echo",
      input: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
    },
    ({ text }) => text,
  );
}

/** The transport of a spec with some methods of each connection replaced. */
export function rewired(
  { transport }: CustomSpec,
  replace: (inner: Connection) => Partial<Pick<Connection, "read" | "write" | "close">>,
): CustomSpec {
  return {
    type: "custom",
    transport: () => ({
      async connect(options) {
        const inner = await transport().connect(options);
        return {
          read: () => inner.read(),
          write: (message, writeOptions) => inner.write(message, writeOptions),
          close: (reason) => inner.close(reason),
          [Symbol.asyncDispose]: () => inner.close(),
          ...replace(inner),
        };
      },
    }),
  };
}

/**
 * Waits until something is so: quickly for what happens in this process, patiently for what other
 * processes and sockets do.
 */
export async function until(condition: () => boolean): Promise<void> {
  for (let look = 0; look < 20_000; look++) {
    if (condition()) {
      return;
    }
    await (look < 1000
      ? turns(1)
      : new Promise((resolve) => {
          setTimeout(resolve, 1);
        }));
  }
  throw new Error("It never came to be.");
}

/** Lets the event loop go round. */
export async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn++) {
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
  }
}

/** The next event of a kind. */
export function once<E extends keyof HostEvents>(manager: Manager, event: E): Promise<HostEvents[E]> {
  return new Promise((resolve) => {
    const off = manager.on(event, (detail) => {
      off();
      resolve(detail);
    });
  });
}
