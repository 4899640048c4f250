// A question to the user
import { Client, Server } from "@tenon/sdk";
import { createInMemoryTransports } from "@tenon/sdk/memory";

const server = new Server({ name: "shop", version: "1.0.0" });
server.addTool(
  { name: "order", input: { type: "object", properties: { item: { type: "string" } }, required: ["item"] } },
  async ({ item }, ctx) => {
    // A step runs only once, even if the handler runs again after the response.
    const id = await ctx.step("reserve", () => 7);
    const answer = await ctx.elicit({
      message: `Where should the ${item} go?`,
      requestedSchema: {
        type: "object",
        properties: { address: { type: "string", minLength: 5 } },
        required: ["address"],
      },
    });
    return answer.action === "accept"
      ? `Order ${id} goes to ${answer.content.address}.`
      : "Nothing was ordered.";
  },
);

const [near, far] = createInMemoryTransports();
await server.connect(far);
const client = new Client(
  { name: "program", version: "1.0.0" },
  {
    revisions: ["2026-07-28"],
    elicitation: {
      form: ({ message }) => {
        console.log(message);
        return { action: "accept", content: { address: "1 Main Street" } };
      },
    },
  },
);
const session = await client.connect(near);

const { content } = await session.callTool({ name: "order", arguments: { item: "chair" } });
console.log(content[0].text);

await session.close();
