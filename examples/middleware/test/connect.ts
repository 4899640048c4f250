import { Client, type ClientSession } from "@tenon/sdk/client";
import { createInMemoryTransports } from "@tenon/sdk/memory";
import { Server, ToolError } from "@tenon/sdk/server";

/** The eras that each example is tested in. */
export const eras = ["2025-11-25", "2026-07-28"] as const;

/** A server with the tools `add` and `fail`. */
export function createServer(): Server {
  const server = new Server({ name: "server", version: "1.0.0" });
  server.addTool(
    {
      name: "add",
      input: {
        type: "object",
        properties: { a: { type: "number" }, b: { type: "number" } },
        required: ["a", "b"],
      },
      output: { type: "number" },
    },
    ({ a, b }) => a + b,
  );
  server.addTool({ name: "fail" }, () => {
    throw new ToolError("not today");
  });
  return server;
}

/** Connects a client in memory. */
export async function connect(
  server: Server,
  revision: (typeof eras)[number],
  setUp: (client: Client) => void = () => {},
): Promise<ClientSession> {
  const [here, there] = createInMemoryTransports();
  await server.connect(there);
  const client = new Client({ name: "client", version: "1.0.0" }, { revisions: [revision] });
  setUp(client);
  return client.connect(here);
}
