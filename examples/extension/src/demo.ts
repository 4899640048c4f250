// A shop with prices and a buyer that counts what it has spent, in this process.
import { Client } from "@tenon/sdk/client";
import { createInMemoryTransports } from "@tenon/sdk/memory";
import { Server } from "@tenon/sdk/server";

import { priceReader, prices } from "./prices.ts";

const server = new Server({ name: "shop", version: "1.0.0" });
server.use(prices);
server.addTool({ name: "translate", price: 3 }, () => "Zapfen");
const [here, there] = createInMemoryTransports();
await server.connect(there);
const client = new Client({ name: "buyer", version: "1.0.0" });
client.use(priceReader);
const session = await client.connect(here);

const { tools } = await session.listTools();
console.log(`The tool ${tools[0]?.name} has ${JSON.stringify(tools[0]?._meta)} in its definition.`);
for (let count = 1; count <= 2; count++) {
  const { content } = await session.callTool({ name: "translate" });
  console.log(`Call ${count}: ${JSON.stringify(content)}. Spent so far: ${await session.spent()} cents.`);
}
await client.close();
await server.close();
