import { setTimeout as sleep } from "node:timers/promises";

import { createStreamableHandler, type StreamableHandler } from "@tenon/sdk/http";
import { Server } from "@tenon/sdk/server";
import { createTaskEngine } from "@tenon/sdk/tasks";
import { tasks } from "@tenon/sdk/tasks/server";

const icing = { type: "object", properties: { icing: { type: "string" } }, required: ["icing"] } as const;
const steps = ["mixed", "baked", "cooled"];

/** A bakery for the pages of an origin. Its cakes take three steps and an input request. */
export function createBakery(origin: string, stepMs: number): StreamableHandler & AsyncDisposable {
  const engine = createTaskEngine({ limits: { pollIntervalMs: 200 } });
  const server = new Server({ name: "bakery", version: "1.0.0" });
  server.use(tasks({ engine }));
  server.addTool({ name: "bake", task: "required" }, async (_, context) => {
    for (const [index, step] of steps.entries()) {
      await sleep(stepMs, undefined, { signal: context.signal });
      await context.progress(index + 1, steps.length, step);
    }
    const { action, content } = await context.elicit({ message: "Which icing?", requestedSchema: icing });
    return `A cake with ${action === "accept" ? content.icing : "no"} icing.`;
  });
  const handler = createStreamableHandler({ getServer: () => server, allowedOrigins: [origin] });
  return {
    ...handler,
    async [Symbol.asyncDispose]() {
      await handler.close();
      await engine.close();
    },
  };
}
