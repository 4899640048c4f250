// Two servers behind one
import { compose } from "@tenon/compose";
import { Client, Server } from "@tenon/sdk";
import { createInMemoryTransports } from "@tenon/sdk/memory";

const clock = new Server({ name: "clock", version: "1.0.0" });
clock.addTool({ name: "now" }, () => "noon");
const files = new Server({ name: "files", version: "1.0.0" });
files.addTool({ name: "read" }, () => "a text");
files.addTool({ name: "delete" }, () => "gone");

const server = compose({ clock, files }, { transforms: [{ tool: "delete", hide: true }] });

const [near, far] = createInMemoryTransports();
await server.connect(far);
const client = new Client({ name: "program", version: "1.0.0" }, { revisions: ["2026-07-28"] });
const session = await client.connect(near);

const { tools } = await session.listTools();
console.log(tools.map(({ name }) => name));
const { content } = await session.callTool({ name: "mcp__clock__now" });
console.log(content[0].text);

await session.close();
await server.close();
