// #region server
import { Server } from "@tenon/sdk/server";
import { StdioTransport } from "@tenon/sdk/stdio";
import { z } from "zod";

const server = new Server({ name: "greeter", version: "1.0.0" });

server.addTool(
  { name: "greet", description: "Greets a person.", input: z.object({ name: z.string().min(1) }) },
  ({ name }) => `Hello, ${name}!`,
);

await server.run(new StdioTransport());
// #endregion server
