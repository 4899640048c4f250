import { Client } from "@tenon/sdk/client";
import { CommandTransport } from "@tenon/sdk/stdio";

const client = new Client({ name: "clock-client", version: "1.0.0" });
const session = await client.connect(
  new CommandTransport({ command: process.execPath, args: ["dist/stdio.js"] }),
);

for await (const tool of session.tools()) {
  console.log(`${tool.name}: ${tool.description}`);
}
const { structuredContent } = await session.callTool({
  name: "time_in",
  arguments: { zone: "Asia/Tokyo" },
});
console.log(structuredContent);

await session.close();
