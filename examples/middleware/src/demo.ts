// Three kinds of middleware around one server: a log, a limit and spans.
import { Client } from "@tenon/sdk/client";
import { createInMemoryTransports } from "@tenon/sdk/memory";
import { Server, ToolError } from "@tenon/sdk/server";

import { logging } from "./logging.ts";
import { everything, rateLimit } from "./rate-limit.ts";
import { tracingClient, tracingServer } from "./tracing.ts";

const server = new Server({ name: "server", version: "1.0.0" });
server.addTool({ name: "add" }, () => "3");
server.addTool({ name: "fail" }, () => {
  throw new ToolError("not today");
});
server.addReceivingMiddleware(
  tracingServer((span) => console.log(`  span of the server: ${JSON.stringify(span)}`)),
);
server.addReceivingMiddleware(logging((line) => console.log(`  log: ${line}`)));
server.addReceivingMiddleware(rateLimit({ burst: 5, perSecond: 0.01, bucket: everything }));

const client = new Client({ name: "client", version: "1.0.0" });
client.addSendingMiddleware(
  tracingClient((span) => console.log(`  span of the client: ${JSON.stringify(span)}`)),
);
const [here, there] = createInMemoryTransports();
await server.connect(there);
const session = await client.connect(here);
for (const name of ["add", "fail", "add", "add"]) {
  console.log(`The client calls ${name}:`);
  try {
    console.log(`  result: ${JSON.stringify((await session.callTool({ name })).content)}`);
  } catch (error) {
    console.log(`  refused: ${error instanceof Error ? error.message : String(error)}`);
  }
}
await client.close();
await server.close();
