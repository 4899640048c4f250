import { createHealth } from "@tenon/operations";
import { Server } from "@tenon/sdk";
import { createStreamableHandler } from "@tenon/sdk/http";
import { listen } from "@tenon/sdk/node";
import { createRedisStores } from "@tenon/store-redis";
import { shareChanges, shareStateKeys } from "@tenon/stores";
import { createClient } from "redis";

// #region server
const { REDIS_URL: url = "redis://localhost:6379", ALLOWED_HOSTS: hosts = "" } = process.env;
const { HOST: host = "127.0.0.1", PORT: port = "3000" } = process.env;

const client = createClient({ url });
const stores = createRedisStores(await client.on("error", console.error).connect());
const changes = shareChanges(stores.bus, (change) => server.announce(change));
const server = new Server(
  { name: "shop", version: "1.0.0" },
  { onChange: changes.publish, interaction: { stateKeys: shareStateKeys(stores.auth) } },
);
const allowedHosts = hosts.split(",");
const handler = createStreamableHandler({ getServer: () => server, stores, allowedHosts });
await stores.sessions.get("health", "");
const health = createHealth();
const listening = await listen(handler, { host, port: Number(port), routes: [health] });
console.log(`Serving ${listening.url.href}`);

process.once("SIGTERM", () => {
  const ended = health.drain({ noticeMs: 5_000, drainMs: 20_000, close: [listening, server, stores] });
  void ended.catch(console.error).finally(() => process.exit());
});
// #endregion server
