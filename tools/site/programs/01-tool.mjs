// A tool
import { Client, Server } from "@tenon/sdk";
import { createInMemoryTransports } from "@tenon/sdk/memory";

const server = new Server({ name: "greeter", version: "1.0.0" });
server.addTool(
  {
    name: "greet",
    description: "Greets a person.",
    input: { type: "object", properties: { name: { type: "string", minLength: 1 } }, required: ["name"] },
  },
  ({ name }) => `Hello, ${name}!`,
);

const [near, far] = createInMemoryTransports();
await server.connect(far);

const client = new Client({ name: "program", version: "1.0.0" }, { revisions: ["2026-07-28"] });
const session = await client.connect(near);

const { content } = await session.callTool({ name: "greet", arguments: { name: "you" } });
console.log(content[0].text);

// An invalid argument returns an error result that the model can read.
const wrong = await session.callTool({ name: "greet", arguments: { name: "" } });
console.log(wrong.content[0].text);

await session.close();
