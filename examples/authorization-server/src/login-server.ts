import { generateKeyPairSync, randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

// oxlint-disable-next-line import/no-unassigned-import -- it must run before the library is loaded
import "./quiet.ts";
import { errors, Provider } from "oidc-provider";

/** An authorization server that runs. */
export interface LoginServer extends AsyncDisposable {
  readonly issuer: string;
}

/**
 * Starts an authorization server for one MCP server, for development: clients register themselves,
 * and any login is accepted. In production give it a store, keys that survive a restart, a login
 * and a page for consent of your own.
 */
export async function startLoginServer(resource: string): Promise<LoginServer> {
  const http = createServer();
  http.listen(0, "127.0.0.1");
  await once(http, "listening");
  const issuer = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const key = { ...privateKey.export({ format: "jwk" }), kid: "notes", alg: "ES256", use: "sig" };
  // #region provider
  const provider = new Provider(issuer, {
    jwks: { keys: [key] },
    cookies: { keys: [randomBytes(32).toString("hex")] },
    clientDefaults: { id_token_signed_response_alg: "ES256", token_endpoint_auth_method: "none" },
    enabledJWA: { idTokenSigningAlgValues: ["ES256"] },
    scopes: ["openid", "offline_access", "notes:read", "notes:write", "notes:admin"],
    pkce: { required: () => true },
    // In seconds.
    ttl: { Interaction: 600, Session: 86_400, Grant: 86_400, RefreshToken: 86_400 },
    findAccount: (_: unknown, accountId: string) => ({ accountId, claims: () => ({ sub: accountId }) }),
    features: {
      devInteractions: { enabled: true },
      registration: { enabled: true },
      dPoP: { enabled: true },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => resource,
        useGrantedResource: () => true,
        // Tokens are JWTs for this resource alone.
        getResourceServerInfo: (_: unknown, asked: string) => {
          if (asked !== resource) {
            throw new errors.InvalidTarget();
          }
          return {
            audience: resource,
            scope: "notes:read notes:write notes:admin",
            accessTokenFormat: "jwt",
            accessTokenTTL: 300,
            jwt: { sign: { alg: "ES256" } },
          };
        },
      },
    },
  });
  // #endregion provider
  http.on("request", provider.callback());
  return {
    issuer,
    async [Symbol.asyncDispose]() {
      http.closeAllConnections();
      http.close();
      await once(http, "close");
    },
  };
}
