// An agent, a scripted model and two servers in this process. For a real model, pass
// `(body) => new Anthropic().messages.create(body)`, and for real servers a configuration file.
import { Manager, type CustomSpec } from "@tenon/sdk/host";
import { createInMemoryTransports } from "@tenon/sdk/memory";
import { Server } from "@tenon/sdk/server";
import { z } from "zod";

import { runAgent } from "./agent.ts";
import { scriptedModel } from "./scripted-model.ts";

const stock = new Server({ name: "stock", version: "1.0.0" });
stock.addTool(
  {
    name: "count",
    input: z.object({ item: z.string() }),
    annotations: { readOnlyHint: true },
  },
  ({ item }) => `${item.length} of ${item}`,
);
const shop = new Server({ name: "shop", version: "1.0.0" });
shop.addTool(
  { name: "order", input: z.object({ item: z.string(), count: z.number().int() }) },
  ({ item, count }) => `Ordered ${count} of ${item}.`,
);

const inProcess = (server: Server): CustomSpec => ({
  type: "custom",
  transport: () => ({
    async connect(options) {
      const [here, there] = createInMemoryTransports();
      await server.connect(there);
      return here.connect(options);
    },
  }),
});

await using manager = new Manager({
  servers: { stock: inProcess(stock), shop: inProcess(shop) },
  policy: {
    // Ask the user here. This host allows small orders, and tools that only read.
    approve: ({ definition, arguments: args }) =>
      definition?.annotations?.readOnlyHint === true || Number(args["count"]) <= 10
        ? true
        : { approved: false, reason: "more than 10 need a signature" },
  },
});
await manager.connectAll();

const answer = await runAgent({
  manager,
  prompt: "Make sure that we have enough screws.",
  onCall: (name, input) => console.log(`${name} ${JSON.stringify(input)}`),
  model: scriptedModel([
    { calls: [{ tool: "count", input: { item: "screws" } }] },
    { calls: [{ tool: "order", input: { item: "screws", count: 500 } }] },
    { calls: [{ tool: "order", input: { item: "screws", count: 10 } }] },
    { text: ([result]) => `Done. ${result}` },
  ]),
});
console.log(answer);
