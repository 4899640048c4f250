import { createHash } from "node:crypto";

import { createScriptedAuthorization, type ScriptedAuthorization } from "@tenon/auth/testing";
import { systemClock } from "@tenon/base";

const redirectUri = "http://127.0.0.1:49152/callback";
const verifier = "v".repeat(43);

/** What an authorization server issues. */
export interface Tokens {
  readonly access_token: string;
  readonly token_type: string;
  readonly refresh_token: string;
}

/**
 * A protected server in this process, reached through `fetch`. It answers what it accepts with 202.
 */
export interface Protected {
  readonly servers: ScriptedAuthorization;
  readonly fetch: ScriptedAuthorization["fetch"];
  /** Requests that the MCP server accepted. */
  readonly accepted: () => number;
  /** Issues tokens for a client that is registered already. */
  readonly issue: (clientId: string) => Promise<Tokens>;
}

/**
 * Starts a protected server whose tokens last. Its authorization server rotates refresh tokens, and
 * ends a login whose token comes twice.
 */
export function protectedServer(): Protected {
  const servers = createScriptedAuthorization({ clock: systemClock, expiresIn: 0 });
  const { pathname } = new URL(servers.server);
  let accepted = 0;
  return {
    servers,
    accepted: () => accepted,
    async fetch(input, init) {
      const response = await servers.fetch(input, init);
      if (new URL(input).pathname !== pathname || !response.ok) {
        return response;
      }
      accepted++;
      return new Response(null, { status: 202 });
    },
    async issue(clientId) {
      const common = { redirect_uri: redirectUri, resource: servers.server };
      const code = servers.tokens.authorize(
        new URLSearchParams({
          ...common,
          client_id: clientId,
          code_challenge: createHash("sha256").update(verifier).digest("base64url"),
        }),
      );
      const form = { ...common, grant_type: "authorization_code", code, code_verifier: verifier };
      const response = await servers.tokens.token(new URLSearchParams(form), clientId, undefined);
      return (await response.json()) as Tokens;
    },
  };
}
