// A task
import { Client, Server } from "@tenon/sdk";
import { createInMemoryTransports } from "@tenon/sdk/memory";
import { createTaskEngine } from "@tenon/sdk/tasks";
import { taskClient } from "@tenon/sdk/tasks/client";
import { tasks } from "@tenon/sdk/tasks/server";

const engine = createTaskEngine();
const server = new Server({ name: "reports", version: "1.0.0" });
server.use(tasks({ engine }));
server.addTool({ name: "report", task: { mode: "required", pollIntervalMs: 100 } }, async (_, ctx) => {
  await ctx.progress(1, 2, "The numbers are there.");
  await new Promise((resolve) => {
    setTimeout(resolve, 300);
  });
  return "The report is ready.";
});

const [near, far] = createInMemoryTransports();
await server.connect(far);
const client = new Client({ name: "program", version: "1.0.0" }, { revisions: ["2026-07-28"] });
client.use(taskClient());
const session = await client.connect(near);
await session.listTools();

// The client gets the task at once, and follows it until the result is there.
const { content } = await session.callTool({ name: "report" });
console.log(content[0].text);

await session.close();
await engine.close();
