import { accepted, inputRequired, isMcpError, Server } from "@tenon/mcp";

/** What the shop has sent, for the test to look at. */
export const sent: string[] = [];

const warehouse = {
  reserve: (item: string): { id: number; item: string } => {
    sent.push(`reserve ${item}`);
    return { id: 7, item };
  },
  ship: (id: number, address: string): void => void sent.push(`ship ${id} to ${address}`),
};

export function createShop(stateSecret: string, userOf: () => string | undefined): Server {
  // #region state
  const server = new Server(
    { name: "shop", version: "1.0.0" },
    {
      interaction: {
        stateKeys: [{ id: "2026-08", secret: stateSecret }],
        principal: () => userOf(),
      },
      limits: { stateTtlMs: 5 * 60_000 },
    },
  );
  // #endregion state

  // #region order
  server.addTool(
    {
      name: "order",
      description: "Orders an item and asks for the address it is sent to",
      input: { type: "object", properties: { item: { type: "string" } }, required: ["item"] },
    },
    async ({ item }, ctx) => {
      const { id } = await ctx.step("reserve", () => warehouse.reserve(item));

      const answer = await ctx.elicit({
        message: `Where should the ${item} go?`,
        requestedSchema: {
          type: "object",
          properties: {
            address: { type: "string", title: "Address", minLength: 5 },
            express: { type: "boolean", title: "Express", default: false },
          },
          required: ["address"],
        },
      });
      if (answer.action !== "accept") {
        return "Nothing was ordered.";
      }

      const { address, express } = answer.content;
      await ctx.step("ship", () => warehouse.ship(id, address));
      return `Order ${id} is on its way${express ? ", by express" : ""}.`;
    },
  );
  // #endregion order

  // #region parallel
  server.addTool({ name: "introduce" }, async (_, ctx) => {
    const form = { type: "object", properties: { name: { type: "string" } }, required: ["name"] } as const;
    const [me, you] = await Promise.all([
      ctx.elicit({ message: "Who are you?", requestedSchema: form }, { key: "me" }),
      ctx.elicit({ message: "Who is your friend?", requestedSchema: form }, { key: "you" }),
    ]);
    return `${accepted(me).name}, this is ${accepted(you).name}.`;
  });
  // #endregion parallel

  // #region page
  server.addTool({ name: "connect-account" }, async (_, ctx) => {
    const { action } = await ctx.elicit({
      mode: "url",
      message: "Sign in to your bank",
      url: "https://bank.example/connect",
    });
    return action === "accept" ? "Finish in the browser, then continue." : "Your account was not connected.";
  });
  // #endregion page

  // #region sample
  server.addTool({ name: "summary" }, async (_, ctx) => {
    try {
      const roots = await ctx.listRoots();
      const { content } = await ctx.sample({
        maxTokens: 100,
        messages: [
          { role: "user", content: { type: "text", text: `Describe ${roots.map(({ uri }) => uri).join()}` } },
        ],
      });
      return JSON.stringify(content);
    } catch (error) {
      if (isMcpError(error, "CAPABILITY_MISSING")) {
        return "This client does not support sampling.";
      }
      throw error;
    }
  });
  // #endregion sample

  // #region by-hand
  server.addTool({ name: "survey" }, (_, ctx) => {
    const round = typeof ctx.requestState === "number" ? ctx.requestState : 0;
    if (round === 0) {
      return inputRequired({
        inputRequests: {
          mood: {
            method: "elicitation/create",
            params: {
              message: "How are you?",
              requestedSchema: { type: "object", properties: { mood: { type: "string" } } },
            },
          },
        },
        requestState: round + 1,
      });
    }
    return JSON.stringify(ctx.inputResponses);
  });
  // #endregion by-hand

  return server;
}
