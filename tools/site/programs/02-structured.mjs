// Structured results
import { Client, Server } from "@tenon/sdk";
import { createInMemoryTransports } from "@tenon/sdk/memory";

const server = new Server({ name: "weather", version: "1.0.0" });
server.addTool(
  {
    name: "forecast",
    input: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
    output: {
      type: "object",
      properties: {
        city: { type: "string" },
        days: { type: "array", items: { type: "object", properties: { high: { type: "number" } } } },
      },
      required: ["city", "days"],
    },
    annotations: { readOnlyHint: true },
  },
  ({ city }) => ({ city, days: [{ high: 21 }, { high: 19 }] }),
);

const [near, far] = createInMemoryTransports();
await server.connect(far);
const client = new Client({ name: "program", version: "1.0.0" }, { revisions: ["2026-07-28"] });
const session = await client.connect(near);

// The client has checked the result against the output schema of the tool.
const { structuredContent } = await session.callTool({ name: "forecast", arguments: { city: "Oslo" } });
console.log(
  structuredContent.city,
  structuredContent.days.map(({ high }) => high),
);

await session.close();
