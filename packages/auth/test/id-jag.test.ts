import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

import { createHttpClient, platformWire, type AuthProvider } from "@tenon/http/client";
import { createLocalJWKSet, exportJWK, generateKeyPair, jwtVerify, SignJWT, type JWTPayload } from "jose";
import { errors, Provider, type GrantRequest } from "oidc-provider";
import { expect, test } from "vitest";

import { clientSecret, createOAuth, enterprise } from "../src/client.ts";
import { jwt } from "../src/jwt.ts";
import { createGuard, protectedResource } from "../src/server.ts";

const jwtBearer = "urn:ietf:params:oauth:grant-type:jwt-bearer";
const typ = "oauth-id-jag+jwt";
const clientId = "mcp-client";
const secret = "a-secret-of-the-test";

interface Listening {
  listener: (...exchange: Parameters<RequestListener>) => unknown;
}

interface Site extends Listening, AsyncDisposable {
  readonly origin: string;
}

async function startSite(): Promise<Site> {
  const site: Listening = { listener: (_, response) => response.writeHead(503).end() };
  const http = createServer((request, response) => site.listener(request, response));
  await new Promise<void>((resolve) => {
    http.listen(0, "127.0.0.1", resolve);
  });
  return Object.assign(site, {
    origin: `http://127.0.0.1:${(http.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      http.closeAllConnections();
      await new Promise((resolve) => {
        http.close(resolve);
      });
    },
  });
}

function reply(response: ServerResponse, body: unknown): void {
  response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(body));
}

/** An identity provider that signs assertions for whoever asks. */
async function startIdentityProvider(site: Site) {
  const { privateKey, publicKey } = await generateKeyPair("ES256");
  const keys = createLocalJWKSet({ keys: [{ ...(await exportJWK(publicKey)), alg: "ES256" }] });
  let jti = 0;
  const issued: string[] = [];
  async function sign(claims: Readonly<Record<string, unknown>>): Promise<string> {
    const now = Math.floor(Date.now() / 1000);
    const all = {
      iss: site.origin,
      sub: "ada",
      client_id: clientId,
      jti: `jag-${++jti}`,
      iat: now,
      exp: now + 60,
      ...claims,
    };
    return new SignJWT(JSON.parse(JSON.stringify(all)) as JWTPayload)
      .setProtectedHeader({ alg: "ES256", typ })
      .sign(privateKey);
  }
  async function exchange(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) {
      chunks.push(chunk as Buffer);
    }
    const form = new URLSearchParams(Buffer.concat(chunks).toString());
    const assertion = await sign({ aud: form.get("audience") ?? "", resource: form.get("resource") });
    issued.push(assertion);
    const issued_token_type = "urn:ietf:params:oauth:token-type:id-jag";
    reply(response, { access_token: assertion, issued_token_type, token_type: "N_A", expires_in: 60 });
  }
  site.listener = (request, response) => {
    if (request.url === "/token") {
      void exchange(request, response);
    } else {
      reply(response, { issuer: site.origin, token_endpoint: `${site.origin}/token` });
    }
  };
  return { keys, issued, sign };
}

/** An authorization server that accepts the assertions of one identity provider, each once. */
function authorizationServer(
  as: Site,
  idp: { readonly issuer: string; readonly keys: ReturnType<typeof createLocalJWKSet> },
  resource: string,
): void {
  const used = new Map<string, number>();
  const info = {
    scope: "notes",
    audience: resource,
    accessTokenFormat: "jwt",
    accessTokenTTL: 60,
    jwt: { sign: { alg: "RS256" } },
  };
  const provider = new Provider(as.origin, {
    clients: [
      {
        client_id: clientId,
        client_secret: secret,
        grant_types: [jwtBearer],
        redirect_uris: [],
        response_types: [],
      },
    ],
    scopes: ["notes"],
    features: {
      devInteractions: { enabled: false },
      resourceIndicators: { enabled: true, getResourceServerInfo: () => info },
    },
  });
  async function accept(request: GrantRequest): Promise<void> {
    const { oidc } = request;
    const { assertion, resource: asked } = oidc.params;
    const options = { issuer: idp.issuer, audience: as.origin, typ, requiredClaims: ["exp", "jti", "sub"] };
    const { payload } = await jwtVerify(assertion ?? "", idp.keys, options).catch(() => {
      throw new errors.InvalidGrant("The assertion is not valid.");
    });
    const { jti = "", sub, exp = 0 } = payload;
    const isForUs = payload["client_id"] === oidc.client.clientId && payload["resource"] === asked;
    if (!isForUs || asked !== resource || used.has(jti)) {
      throw new errors.InvalidGrant("The assertion is for somebody else, or was used before.");
    }
    const now = Date.now() / 1000;
    [...used].filter(([, until]) => until < now).forEach(([old]) => used.delete(old));
    used.set(jti, exp);
    const token = new provider.AccessToken({
      accountId: sub,
      client: oidc.client,
      gty: "jwt-bearer",
      scope: "notes",
    });
    token.resourceServer = new provider.ResourceServer(resource, info);
    const access_token = await token.save();
    request.body = { access_token, token_type: "Bearer", expires_in: 60, scope: "notes" };
  }
  provider.registerGrantType(jwtBearer, accept, ["assertion", "resource", "scope"]);
  as.listener = provider.callback();
}

test("A-073: an assertion of an identity provider is accepted once, by the server and for the client that it names", async () => {
  await using idpSite = await startSite();
  await using as = await startSite();
  await using mcp = await startSite();
  const resource = `${mcp.origin}/mcp`;
  const idp = await startIdentityProvider(idpSite);
  authorizationServer(as, { issuer: idpSite.origin, keys: idp.keys }, resource);
  const guard = createGuard({ resource, verify: jwt({ issuer: as.origin }), scopes: ["notes"] });
  const metadata = protectedResource({ resource, authorizationServers: [as.origin] });
  mcp.listener = async (request, response) => {
    if (metadata.paths.includes(request.url ?? "")) {
      return metadata.node(request, response);
    }
    const headers = { get: (name: string) => request.headers[name] as string | undefined };
    const answer = await guard.authenticate({ method: "POST", url: "/mcp", headers });
    const isRefused = answer instanceof Response;
    response.writeHead(isRefused ? answer.status : 200, isRefused ? Object.fromEntries(answer.headers) : {});
    response.end();
  };
  const call = async (auth: AuthProvider): Promise<number> => {
    const http = createHttpClient({ wire: platformWire, auth });
    const { signal } = new AbortController();
    const response = await http({ url: new URL(resource), method: "POST", headers: {}, body: "{}", signal });
    response.discard();
    return response.status;
  };
  await using auth = createOAuth({
    server: resource,
    grant: enterprise({
      idp: { issuer: idpSite.origin, clientId: "host" },
      subjectToken: () => "sign-on",
    }),
    client: { registered: [{ issuer: as.origin, clientId, auth: clientSecret(secret) }] },
  });
  expect(await call(auth)).toBe(200);

  const redeem = async (assertion: string): Promise<unknown> => {
    const response = await fetch(`${as.origin}/token`, {
      method: "POST",
      headers: { authorization: `Basic ${btoa(`${clientId}:${secret}`)}` },
      body: new URLSearchParams({ grant_type: jwtBearer, assertion, resource }),
    });
    const { error = "none" } = (await response.json()) as { readonly error?: string };
    return [response.status, error];
  };
  const refused = [400, "invalid_grant"];
  const [replayed = ""] = idp.issued;
  expect(await redeem(replayed)).toEqual(refused);
  const aud = as.origin;
  for (const claims of [
    { aud: "https://other.example", resource },
    { aud, resource: "https://other.example/mcp" },
    { aud, resource, client_id: "somebody-else" },
    { aud, resource, jti: undefined },
    { aud, resource, exp: 1 },
    { aud, resource, iss: "https://evil.example" },
  ]) {
    expect(await redeem(await idp.sign(claims))).toEqual(refused);
  }
  expect(await redeem(await idp.sign({ aud, resource }))).toEqual([200, "none"]);
});
