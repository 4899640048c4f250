import { once } from "node:events";

import { Server } from "@tenon/sdk";
import { createStreamableHandler } from "@tenon/sdk/http";
import { listen } from "@tenon/sdk/node";
import { createRedisStores } from "@tenon/store-redis";
import { shareChanges, shareStateKeys } from "@tenon/stores";
import { createClient } from "redis";

const [name = "node", path = ""] = process.argv.slice(2);
const { REDIS_URL: url } = process.env;
const redis = url === undefined ? createClient({ socket: { path, tls: false } }) : createClient({ url });
const stores = createRedisStores(await redis.on("error", () => {}).connect());
const changes = shareChanges(stores.bus, (change) => server.announce(change));
const server = new Server(
  { name: "cluster", version: "1.0.0" },
  {
    logging: true,
    onChange: changes.publish,
    interaction: { stateKeys: shareStateKeys(stores.auth) },
  },
);

server.addTool({ name: "whoami" }, () => name);

server.addTool({ name: "book" }, async (_, context) => {
  const answer = await context.elicit({
    message: `${name} asks: which city?`,
    requestedSchema: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
  });
  return answer.action === "accept" ? `${name} booked ${answer.content.city}` : "Nothing was booked.";
});

server.addTool({ name: "work" }, async (_, { log, signal }) => {
  await log("info", `${name} works`);
  await new Promise((resolve) => signal.addEventListener("abort", resolve));
  return "never";
});

const handler = createStreamableHandler({ getServer: () => server, stores });
const listening = await listen(handler, { port: 0 });
process.send?.(Number(new URL(listening.url).port));

await once(process, "SIGTERM");
await handler.close({ drainMs: 10_000 });
await server.close();
process.exit();
