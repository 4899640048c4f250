import { Client, type ClientSession } from "@tenon/mcp";

/** What a real client would ask its user. */
export interface Dialog {
  ask(title: string, fields: readonly string[]): Promise<Record<string, string> | undefined>;
  mayOpen(host: string): Promise<boolean>;
}

export function createAskedClient(dialog: Dialog): Client {
  // #region client
  const client = new Client(
    { name: "desk", version: "1.0.0" },
    {
      roots: [{ uri: "file:///home/ada/project", name: "project" }],
      elicitation: {
        form: async ({ message, requestedSchema }, { session }) => {
          const title = `${session?.serverInfo?.name ?? "A server"} asks: ${message}`;
          const content = await dialog.ask(title, Object.keys(requestedSchema.properties));
          return content === undefined ? { action: "cancel" } : { action: "accept", content };
        },
        url: async ({ url }) => ({
          action: (await dialog.mayOpen(new URL(url).host)) ? "accept" : "decline",
        }),
      },
      sampling: {
        createMessage: async ({ messages }) => ({
          role: "assistant",
          model: "example",
          content: { type: "text", text: `I have read ${messages.length} message.` },
        }),
      },
      limits: { maxRounds: 5 },
    },
  );
  // #endregion client
  return client;
}

export async function answerByHand(session: ClientSession): Promise<unknown> {
  // #region rounds
  let result = await session.callTool({ name: "survey" }, { autoFulfil: false });
  while (!("content" in result)) {
    const { inputRequests = {}, requestState } = result;
    const declined = Object.keys(inputRequests).map((key) => [key, { action: "decline" as const }]);
    result = await session.callTool(
      { name: "survey", inputResponses: Object.fromEntries(declined), requestState },
      { autoFulfil: false },
    );
  }
  // #endregion rounds
  return result.content;
}
