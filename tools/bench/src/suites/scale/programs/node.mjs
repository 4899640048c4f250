// One node of a cluster. Arguments: the path of the socket of Redis, and the prefix of its keys.
import { once } from "node:events";

import { Server } from "@tenon/mcp";
import { listen } from "@tenon/node";
import { createRedisStores } from "@tenon/store-redis";
import { createStreamableHandler } from "@tenon/transports-streamable-http/server";
import { createClient } from "redis";

const [path = "", prefix = ""] = process.argv.slice(2);
const client = createClient({ socket: { path, tls: false } });
await client.on("error", (error) => console.error(error)).connect();
const stores = createRedisStores(client, { prefix });
const server = new Server({ name: "node", version: "1.0.0" });
server.addTool({ name: "echo" }, () => "echo");
const { sessions, bus } = stores;
const handler = createStreamableHandler({ getServer: () => server, stores: { sessions, bus } });
const { url } = await listen(handler, { port: 0 });
process.send({ port: Number(url.port) });
await once(process, "disconnect");
process.exit();
