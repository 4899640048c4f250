import { startKeycloak, submitLogin } from "@tenon/test-support/keycloak";
import { expect, test } from "vitest";

import { oidc, type Account } from "../src/index.ts";
import { openBrowser } from "./browser.ts";
import { downstream, tryToken } from "./downstream.ts";
import { toProvider } from "./scripted.ts";
import { startProtected } from "./support.ts";

const home = process.env["KEYCLOAK_HOME"];
const clientSecret = "broker-secret-broker-secret";
const realm = {
  realm: "notes",
  enabled: true,
  // Shorter than the minute before the end of a token in which the broker refreshes it.
  accessTokenLifespan: 50,
  revokeRefreshToken: true,
  groups: [{ name: "writers" }],
  clients: [
    {
      clientId: "broker",
      secret: clientSecret,
      standardFlowEnabled: true,
      redirectUris: ["http://127.0.0.1/login/callback/keycloak"],
      attributes: { "pkce.code.challenge.method": "S256" },
      protocolMappers: [
        {
          name: "groups",
          protocol: "openid-connect",
          protocolMapper: "oidc-group-membership-mapper",
          config: { "claim.name": "groups", "full.path": "false", "userinfo.token.claim": "true" },
        },
      ],
    },
  ],
  users: [
    {
      username: "ada",
      enabled: true,
      email: "ada@example.com",
      emailVerified: true,
      firstName: "Ada",
      lastName: "Lovelace",
      groups: ["/writers"],
      credentials: [{ type: "password", value: "ada", temporary: false }],
    },
  ],
};

test.skipIf(home === undefined)(
  "users log in at Keycloak, whose token is refreshed in the broker (set KEYCLOAK_HOME to run)",
  { timeout: 900_000 },
  async () => {
    await using keycloak = await startKeycloak(home ?? "", JSON.stringify(realm));
    const { issuer } = keycloak;
    const accounts: Account[] = [];
    await using server = await startProtected({
      upstream: oidc({ issuer, clientId: "broker", clientSecret, id: "keycloak", name: "Keycloak" }),
      keepUpstreamTokens: true,
      allow(account) {
        accounts.push(account);
        return true;
      },
    });
    const browser = openBrowser((url) => url.startsWith(issuer) || url.includes(":7777/"));
    const client = await downstream(server.origin);
    const at = await toProvider(browser, client.authorizationUrl(), "keycloak");
    const consent = await browser.visit((await submitLogin(at, "ada", "ada")).href);
    expect(consent.text).toContain("ada@example.com");
    const tokens = await client.redeem(new URL((await browser.submit(consent, "allow")).url));
    expect(await tryToken(server.origin, tokens.access_token)).toBe(200);
    expect(accounts[0]).toMatchObject({
      name: "Ada Lovelace",
      email: "ada@example.com",
      groups: ["writers"],
    });
    const auth = { principal: "p", issuer: server.origin, subject: accounts[0]?.subject };
    for (let count = 0; count < 2; count++) {
      const token = await server.broker.upstreamToken(auth);
      const response = await fetch(`${issuer}/protocol/openid-connect/userinfo`, {
        headers: { authorization: `Bearer ${token}` },
      });
      expect(await response.json()).toMatchObject({ email: "ada@example.com" });
    }
    // Keycloak knows no prompt to select an account.
    const again = await browser.visit(client.authorizationUrl());
    const start = await browser.submit(again, "switch");
    const other = new URL((await browser.submit(start, "with:keycloak")).url);
    expect(other.searchParams.get("prompt")).toBe("login");
    expect(server.errors).toEqual([]);
  },
);
