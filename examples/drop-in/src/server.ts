// @boundaries-ignore -- turbo does not know aliases of packages in the workspace.
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
// @boundaries-ignore -- turbo does not know aliases of packages in the workspace.
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { z } from "zod";

const server = new McpServer({ name: "rooms", version: "1.0.0" });
let booked = 0;

server.registerTool(
  "book",
  { description: "Books a room, after a confirmation.", inputSchema: { room: z.string() } },
  async ({ room }) => {
    booked++;
    const { action } = await server.server.elicitInput({
      message: `Book ${room}?`,
      requestedSchema: { type: "object", properties: {} },
    });
    return { content: [{ type: "text", text: `${room}: ${action}, booked ${booked} times` }] };
  },
);

await server.connect(new StdioServerTransport());
