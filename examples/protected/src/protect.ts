import { jwt } from "@tenon/sdk/auth/jwt";
import { createGuard, protectedResource, scopePolicy } from "@tenon/sdk/auth/server";
import { createStreamableHandler } from "@tenon/sdk/http";
import { listen, type Listening } from "@tenon/sdk/node";

import { createNotesServer } from "./notes.ts";

/**
 * Serves the notes at `resource` to users with a token of `issuer`.
 *
 * @param port - Where to listen; `resource` is how clients reach it.
 * @param audience - The name of the server in tokens, if the issuer does not use `resource` for it.
 */
export async function serveNotes(
  resource: string,
  issuer: string,
  port: number,
  audience?: string,
): Promise<Listening> {
  const server = createNotesServer();
  // #region policy
  const policy = scopePolicy({
    default: "deny",
    tools: { list_notes: ["notes:read"], add_note: ["notes:write"], delete_note: ["notes:write"] },
    implies: { "notes:write": ["notes:read"] },
    hideWithoutScope: true,
  });
  // Per-user visibility: the list contains only the tools that the caller may use.
  server.addReceivingMiddleware(policy.middleware);
  // #endregion policy
  const guard = createGuard({ resource, audience, verify: jwt({ issuer }), scopes: ["notes:read"], policy });
  const metadata = protectedResource({
    resource,
    authorizationServers: [issuer],
    scopes: ["notes:read"],
  });
  const handler = createStreamableHandler({ getServer: () => server, ...guard });
  const listening = await listen(handler, { port, routes: [metadata] });
  return listening;
}
