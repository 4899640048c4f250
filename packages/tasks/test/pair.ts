import { wrapTransport } from "@tenon/jsonrpc2";
import { Client, Server, type ClientOptions, type ClientSession, type ServerOptions } from "@tenon/mcp";
import type { Revision } from "@tenon/protocol";
import { createTaskEngine, type TaskEngine, type TaskEngineOptions } from "@tenon/tasks";
import { taskClient } from "@tenon/tasks/client";
import { tasks, type TasksOptions } from "@tenon/tasks/server";
import { createInMemoryTransports } from "@tenon/transports-memory";
import { onTestFinished } from "vitest";

/** A server with tasks and a client, connected in memory. */
export interface TaskPair {
  readonly server: Server;
  readonly client: Client;
  readonly session: ClientSession;
  readonly engine: TaskEngine;
  readonly errors: readonly unknown[];
  /** The messages that the client sent. */
  readonly sent: readonly object[];
  /** The messages that the client received. */
  readonly received: readonly object[];
}

export interface TaskPairOptions {
  readonly revision: Revision;
  readonly engine?: TaskEngineOptions;
  readonly tasks?: Omit<TasksOptions, "engine">;
  readonly server?: ServerOptions;
  readonly client?: ClientOptions;
  /** The message that the client receives in place of one that came. */
  readonly rewrite?: (message: object) => object;
  /** Whether the client has the extension. Default: `true`. */
  readonly hasTasks?: boolean;
}

/** Connects a client to a server whose tools may run as tasks. */
export async function connect(
  {
    revision,
    engine: engineOptions,
    tasks: own,
    server: serverOptions,
    client: clientOptions,
    rewrite = (message) => message,
    hasTasks = true,
  }: TaskPairOptions,
  setUp: (server: Server) => void,
): Promise<TaskPair> {
  const errors: unknown[] = [];
  const onError = (error: unknown): void => void errors.push(error);
  const engine = createTaskEngine({
    limits: { pollIntervalMs: 1, statusIntervalMs: 0 },
    onError,
    ...engineOptions,
  });
  const server = new Server({ name: "server", version: "1.0.0" }, { onError, ...serverOptions });
  server.use(tasks({ engine, ...own }));
  setUp(server);
  const client = new Client(
    { name: "client", version: "1.0.0" },
    { revisions: [revision], onError, ...clientOptions },
  );
  if (hasTasks) {
    client.use(taskClient());
  }
  const [here, there] = createInMemoryTransports();
  await server.connect(there);
  const sent: object[] = [];
  const received: object[] = [];
  const noted = wrapTransport(here, {
    onWrite: (message) => {
      sent.push(message);
      return message;
    },
    onRead: (message) => {
      const seen = rewrite(message);
      received.push(seen);
      return seen as typeof message;
    },
  });
  const session = await client.connect(noted);
  onTestFinished(async () => {
    await client.close();
    await server.close({ drainMs: 0 });
    await engine.close({ drainMs: 0 });
  });
  return { server, client, session, engine, errors, sent, received };
}

/** The text of a result. */
export function textOf(result: { readonly content: readonly object[] }): string {
  return result.content.map((block) => ("text" in block ? String(block.text) : "")).join("\n");
}
