// Prompts
import { Client, Server } from "@tenon/sdk";
import { createInMemoryTransports } from "@tenon/sdk/memory";

const server = new Server({ name: "teacher", version: "1.0.0" });
server.addPrompt(
  {
    name: "plan",
    description: "Asks the model for a plan",
    arguments: {
      type: "object",
      properties: {
        beams: { type: "integer", minimum: 1, description: "How many" },
        wood: { type: "string", enum: ["oak", "ash", "spruce"], default: "oak" },
      },
      required: ["beams"],
    },
  },
  ({ beams, wood }) => `Plan a frame of ${beams} beams of ${wood}.`,
);

const [near, far] = createInMemoryTransports();
await server.connect(far);
const client = new Client({ name: "program", version: "1.0.0" }, { revisions: ["2026-07-28"] });
const session = await client.connect(near);

const { messages } = await session.getPrompt({ name: "plan", arguments: { beams: "4" } });
console.log(messages[0].content.text);
await session
  .getPrompt({ name: "plan", arguments: { beams: "none" } })
  .catch((error) => console.log(error.message));

await session.close();
