// node dist/http.js mcp.json: the servers of a configuration file behind one endpoint.
import { Manager } from "@tenon/sdk/host";
import { loadConfig, nodeTransports, selectServers } from "@tenon/sdk/host/node";
import { createStreamableHandler } from "@tenon/sdk/http";
import { listen } from "@tenon/sdk/node";

import { createGateway } from "./gateway.ts";

const config = await loadConfig(process.argv[2] ?? "mcp.json");
for (const [name, error] of config.errors) {
  console.error(`${name} is not used: ${error.message}`);
}
const manager = new Manager({ ...selectServers(config), transports: nodeTransports() });
const { failed } = await manager.connectAll();
for (const [name, error] of failed) {
  console.error(`${name} failed:`, error);
}

const gateway = createGateway(manager);
const handler = createStreamableHandler({ getServer: () => gateway });
const listening = await listen(handler, { port: Number(process.env["PORT"] ?? 3000) });
console.log(listening.url.href);

process.once("SIGTERM", () => {
  void listening
    .close()
    .then(() => gateway.close())
    .then(() => manager.close());
});
