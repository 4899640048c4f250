// A watch on a resource
import { Client, Server } from "@tenon/sdk";
import { createInMemoryTransports } from "@tenon/sdk/memory";

let count = 0;
const server = new Server({ name: "counter", version: "1.0.0" });
server.addResource({ uri: "counter://value", name: "value" }, () => String(count));
server.addTool({ name: "add" }, () => {
  count++;
  server.resourceUpdated("counter://value");
  return "Added.";
});

const [near, far] = createInMemoryTransports();
await server.connect(far);
const client = new Client({ name: "program", version: "1.0.0" }, { revisions: ["2026-07-28"] });
const session = await client.connect(near);

const watch = session.watch("counter://value");
await watch.ready;
await session.callTool({ name: "add" });
for await (const { uri } of watch) {
  const { contents } = await session.readResource({ uri });
  console.log(uri, contents[0].text);
  if (contents[0].text === "3") {
    break;
  }
  await session.callTool({ name: "add" });
}

await session.close();
