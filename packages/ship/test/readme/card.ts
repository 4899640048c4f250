import type { Server } from "@tenon/mcp";
import { cardOf, serverCard } from "@tenon/ship/card";

/** Serves the card before the handler of the server. */
export function withCard(
  server: Server,
  handler: (request: Request) => Promise<Response>,
): (request: Request) => Promise<Response> {
  // #region serve
  const card = serverCard(
    cardOf(server.info, { name: "com.example/notes", url: "https://notes.example/mcp" }),
  );
  const fetch = async (request: Request): Promise<Response> => (await card(request)) ?? handler(request);
  // #endregion serve
  return fetch;
}
