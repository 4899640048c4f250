import { Client, type ClientSession, type Server } from "@tenon/mcp";
import { taskClient } from "@tenon/tasks/client";
import { modernRevision } from "@tenon/test-support";
import { StreamableClientTransport } from "@tenon/transports-streamable-http/client";
import { createStreamableHandler } from "@tenon/transports-streamable-http/server";
import { onTestFinished } from "vitest";

/**
 * Serves a composition over HTTP. Clients decline what they are asked, and note it.
 *
 * @returns A function that connects a modern client with a principal.
 */
export function serving(composed: Server): (who: string, asked?: string[]) => Promise<ClientSession> {
  const handler = createStreamableHandler({
    getServer: () => composed,
    authenticate: ({ headers }) => ({ principal: headers.get("x-who") ?? "" }),
  });
  onTestFinished(async () => {
    await handler.close({ drainMs: 0 });
    await composed.close({ drainMs: 0 });
  });
  return async (who, asked = []) => {
    const form = (): { readonly action: "decline" } => {
      asked.push(who);
      return { action: "decline" };
    };
    const client = new Client(
      { name: who, version: "1.0.0" },
      { revisions: [modernRevision], elicitation: { form } },
    );
    client.use(taskClient());
    const transport = new StreamableClientTransport("http://localhost/mcp", {
      headers: { "x-who": who },
      fetch: async (url, init) => handler.fetch(new Request(url, init)),
    });
    const session = await client.connect(transport);
    onTestFinished(() => session.close({ drainMs: 0 }));
    return session;
  };
}
