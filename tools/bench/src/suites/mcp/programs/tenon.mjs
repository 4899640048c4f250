import { Server } from "@tenon/mcp/server";
import { StdioTransport } from "@tenon/transports-stdio/server";

const server = new Server({ name: "bench", version: "1.0.0" });
server.addTool(
  {
    name: "add",
    input: {
      type: "object",
      properties: { a: { type: "number" }, b: { type: "number" } },
      required: ["a", "b"],
    },
  },
  ({ a, b }) => ({ content: [{ type: "text", text: String(a + b) }], structuredContent: { sum: a + b } }),
);
await server.run(new StdioTransport());
