import { Client, type Transport } from "@tenon/sdk/client";
import { Server } from "@tenon/sdk/server";
import { z } from "zod";

/** The same server on Tenon. */
export function createServer(): Server {
  // #region server
  const server = new Server({ name: "greeter", version: "1.0.0" });
  server.addTool(
    { name: "greet", description: "Says hello", input: z.object({ name: z.string() }) },
    ({ name }) => `Hello, ${name}!`,
  );
  // #endregion server
  return server;
}

/** The same client. */
export async function greet(transport: Transport): Promise<unknown> {
  // #region client
  const client = new Client({ name: "desk", version: "1.0.0" });
  const session = await client.connect(transport);
  const { content } = await session.callTool({ name: "greet", arguments: { name: "you" } });
  await session.close();
  // #endregion client
  return content;
}
