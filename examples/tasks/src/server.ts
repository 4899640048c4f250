// A long report that requires input in the middle. Its tasks survive `kill -9`:
// `node server.js reports.log` continues them.
import { appendFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";

import { Server } from "@tenon/sdk/server";
import { StdioTransport } from "@tenon/sdk/stdio";
import { createTaskEngine } from "@tenon/sdk/tasks";
import { openFileTaskStore } from "@tenon/sdk/tasks/file";
import { tasks } from "@tenon/sdk/tasks/server";

const path = process.argv[2] ?? "reports.log";
const input = { type: "object", properties: { topic: { type: "string" } }, required: ["topic"] } as const;
const choice = { type: "object", properties: { send: { type: "boolean" } }, required: ["send"] } as const;

const store = await openFileTaskStore(path);
const engine = createTaskEngine({ store, limits: { pollIntervalMs: 50, leaseMs: 200, sweepIntervalMs: 50 } });
const server = new Server({ name: "reports", version: "1.0.0" });
server.use(tasks({ engine }));

server.addTool({ name: "report", input, task: "required" }, async ({ topic }, context) => {
  const pages: string[] = [];
  for (const chapter of ["past", "present", "future"]) {
    // A step runs once for the task, however often the handler runs.
    pages.push(
      await context.step(chapter, async () => {
        await appendFile(`${path}.steps`, `${chapter}\n`);
        await sleep(20, undefined, { signal: context.signal });
        return `The ${chapter} of ${topic}.`;
      }),
    );
    await context.progress(pages.length, 3, chapter);
  }
  const outcome = await context.elicit({ message: `Send the report on ${topic}?`, requestedSchema: choice });
  const isSent = outcome.action === "accept" && outcome.content.send;
  return `${isSent ? "Sent" : "Kept"}: ${pages.join(" ")}`;
});

await engine.resume({ definitions: [] });
await server.run(new StdioTransport());
await engine.close();
await store.close();
