import { Client, Server, type ClientSession, type ClientOptions } from "@tenon/mcp";
import { listen, type Listening } from "@tenon/node";
import { legacyRevision, modernRevision } from "@tenon/test-support";
import {
  createStreamableHandler,
  StreamableClientTransport,
  type StreamableClientOptions,
  type StreamableHandlerOptions,
} from "@tenon/transports-streamable-http";

/** The revisions by which a client is made to speak one era. */
export const eras = [
  { era: "modern", revisions: [modernRevision] },
  { era: "legacy", revisions: [legacyRevision] },
] as const;

/** A server with a tool for each kind of answer. */
export function createTestServer(): Server {
  const server = new Server({ name: "test", version: "1.0.0" });
  server.addTool(
    {
      name: "add",
      input: {
        type: "object",
        properties: { a: { type: "number" }, b: { type: "number" } },
        required: ["a", "b"],
      } as const,
      annotations: { readOnlyHint: true },
    },
    ({ a, b }) => String(a + b),
  );
  server.addTool({ name: "count" }, async (_, context) => {
    for (let step = 1; step <= 3; step++) {
      await context.progress(step, 3);
    }
    return "counted";
  });
  server.addTool(
    { name: "who" },
    (_, { auth, http }) => `${auth?.principal ?? "nobody"} ${http?.headers.get("X-Tenant") ?? "-"}`,
  );
  return server;
}

/** A handler that listens on a free port. */
export async function serve(
  server: Server = createTestServer(),
  options: Partial<StreamableHandlerOptions> = {},
  listening: Parameters<typeof listen>[1] = {},
): Promise<Listening> {
  const handler = createStreamableHandler({ getServer: () => server, ...options });
  return listen(handler, { port: 0, ...listening });
}

/** A session with a server, without what other tests have learned about it. */
export function connect(
  url: URL,
  options: StreamableClientOptions = {},
  clientOptions: ClientOptions = {},
): Promise<ClientSession> {
  const client = new Client({ name: "test-client", version: "1.0.0" }, clientOptions);
  return client.connect(new StreamableClientTransport(url, { eras: false, ...options }));
}
