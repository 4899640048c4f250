import { once } from "node:events";

import { startTelemetry } from "@tenon/example-telemetry";
import { instrument } from "@tenon/otel";
import { Server } from "@tenon/sdk";
import { createStreamableHandler } from "@tenon/sdk/http";
import { listen } from "@tenon/sdk/node";

import { openStores } from "./stores.ts";

const [name = "node", file = "", collector = ""] = process.argv.slice(2);
const telemetry = startTelemetry(name, collector);
const stores = await openStores(file);
const server = new Server({ name: "cluster", version: "1.0.0" }, { logging: true });
instrument(server);

server.addTool({ name: "whoami" }, () => name);

server.addTool({ name: "book" }, async (_, context) => {
  const answer = await context.elicit({
    message: `${name} asks: which city?`,
    requestedSchema: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
  });
  return answer.action === "accept" ? `${name} booked ${answer.content.city}.` : "Nothing was booked.";
});

server.addTool({ name: "work" }, async (_, { log, signal }) => {
  await log("info", `${name} works`);
  await new Promise((resolve) => signal.addEventListener("abort", resolve));
  return "never";
});

const handler = createStreamableHandler({ getServer: () => server, stores });
const listening = await listen(handler, { port: 0 });
process.send?.(Number(listening.url.port));

await once(process, "SIGTERM");
await listening.close({ drainMs: 10_000 });
await server.close();
await telemetry.shutdown();
process.exit();
