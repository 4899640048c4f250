import { createHash, randomBytes } from "node:crypto";

import { legacyRevision } from "@tenon/test-support";

import { allowAll, openBrowser, type Browser } from "./browser.ts";

/** A client that does what a test tells it to: nothing is checked for it. */
export interface Downstream {
  readonly clientId: string;
  readonly redirectUri: string;
  readonly verifier: string;
  /** The URL that begins a login. */
  authorizationUrl(changes?: Readonly<Record<string, string | undefined>>): string;
  /** Logs in by the development login, and returns where the browser is sent. */
  login(browser?: Browser, changes?: Readonly<Record<string, string | undefined>>): Promise<URL>;
  token(
    form: Readonly<Record<string, string>>,
    headers?: Readonly<Record<string, string>>,
  ): Promise<TokenAnswer>;
  /** Redeems the code of a login. */
  redeem(back: URL): Promise<TokenAnswer>;
}

/** The response of the token endpoint. */
export interface TokenAnswer {
  readonly status: number;
  readonly error?: string;
  readonly access_token: string;
  readonly refresh_token: string;
  readonly token_type: string;
  readonly scope: string;
}

/** Registers a client, by the endpoint for it. */
export async function register(
  origin: string,
  metadata: unknown,
): Promise<{
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
  readonly headers: Headers;
}> {
  const response = await fetch(`${origin}/register`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(metadata),
  });
  return {
    status: response.status,
    body: (await response.json()) as Record<string, unknown>,
    headers: response.headers,
  };
}

/** A client of a broker that is registered, or that has a metadata document. */
export async function downstream(
  origin: string,
  {
    redirectUri = "http://127.0.0.1:7777/callback",
    name = "A client",
    clientId,
  }: { readonly redirectUri?: string; readonly name?: string; readonly clientId?: string } = {},
): Promise<Downstream> {
  const id =
    clientId ??
    String(
      (
        await register(origin, {
          client_name: name,
          redirect_uris: [redirectUri],
          grant_types: ["authorization_code", "refresh_token"],
          token_endpoint_auth_method: "none",
        })
      ).body["client_id"],
    );
  const verifier = randomBytes(32).toString("base64url");
  const challenge = createHash("sha256").update(verifier).digest("base64url");

  async function token(
    form: Readonly<Record<string, string>>,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<TokenAnswer> {
    const response = await fetch(`${origin}/token`, {
      method: "POST",
      headers,
      body: new URLSearchParams({ client_id: id, ...form }),
    });
    return { status: response.status, ...((await response.json()) as Omit<TokenAnswer, "status">) };
  }

  function authorizationUrl(changes: Readonly<Record<string, string | undefined>> = {}): string {
    const url = new URL(`${origin}/authorize`);
    const parameters = {
      response_type: "code",
      client_id: id,
      redirect_uri: redirectUri,
      code_challenge: challenge,
      code_challenge_method: "S256",
      resource: `${origin}/mcp`,
      scope: "notes:read",
      state: "s1",
      ...changes,
    };
    for (const [parameter, value] of Object.entries(parameters)) {
      if (value !== undefined) {
        url.searchParams.set(parameter, value);
      }
    }
    return url.href;
  }

  return {
    clientId: id,
    redirectUri,
    verifier,
    authorizationUrl,
    async login(browser = openBrowser((url) => url.startsWith(redirectUri)), changes = {}) {
      const page = await allowAll(browser, authorizationUrl(changes));
      return new URL(page.url);
    },
    token,
    redeem: (back) =>
      token({
        grant_type: "authorization_code",
        code: back.searchParams.get("code") ?? "",
        redirect_uri: redirectUri,
        code_verifier: verifier,
        resource: `${origin}/mcp`,
      }),
  };
}

/** Calls the MCP endpoint with a token, as a request that says nothing. */
export async function tryToken(origin: string, token: string): Promise<number> {
  const response = await fetch(`${origin}/mcp`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      authorization: `Bearer ${token}`,
    },
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "initialize",
      params: { protocolVersion: legacyRevision, capabilities: {}, clientInfo: { name: "t", version: "1" } },
    }),
  });
  await response.body?.cancel();
  return response.status;
}
