import { Server } from "@tenon/mcp/server";
import { StdioTransport } from "@tenon/transports-stdio/server";

const server = new Server({ name: "bench", version: "1.0.0" });
let sent = 0;
let maxRssBytes = 0;
const look = () => {
  maxRssBytes = Math.max(maxRssBytes, process.memoryUsage.rss());
};
server.addTool(
  {
    name: "flood",
    input: { type: "object", properties: { count: { type: "integer" } }, required: ["count"] },
  },
  async ({ count }, context) => {
    const message = "x".repeat(1000);
    for (let progress = 1; progress <= count; progress++) {
      await context.progress(progress, count, message);
      sent++;
      if (progress % 1000 === 0) {
        look();
      }
    }
    return "done";
  },
);
process.on("message", () => {
  look();
  process.send?.({ sent, heldBytes: process.stdout.writableLength, maxRssBytes });
});
process.on("disconnect", () => process.exit());
await server.run(new StdioTransport());
