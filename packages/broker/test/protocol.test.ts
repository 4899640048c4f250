import { getRequestListener } from "@hono/node-server";
import { dpop } from "@tenon/auth/client";
import { createGuard } from "@tenon/auth/server";
import { expressHandler } from "@tenon/express";
import { fastifyHandler } from "@tenon/fastify";
import { honoHandler } from "@tenon/hono";
import express from "express";
import createFastify from "fastify";
import { Hono } from "hono";
import { expect, test } from "vitest";

import { createBroker, development, type Broker } from "../src/index.ts";
import { openBrowser, type Browser, type Page } from "./browser.ts";
import { downstream, register, tryToken } from "./downstream.ts";
import { callTool, clientAuth, listenAt, scopes, startProtected } from "./support.ts";

async function jsonAt(url: string): Promise<Record<string, unknown>> {
  const response = await fetch(url);
  expect([url, response.status]).toEqual([url, 200]);
  return (await response.json()) as Record<string, unknown>;
}

test("the metadata is at every well-known place, and names what clients of each revision need (R-737, R-748, R-760)", async () => {
  await using server = await startProtected();
  const { origin } = server;
  const documents = await Promise.all(
    ["oauth-authorization-server", "openid-configuration"].map((name) =>
      jsonAt(`${origin}/.well-known/${name}`),
    ),
  );
  for (const document of documents) {
    expect(document).toMatchObject({
      issuer: origin,
      // Clients of 2025-03-26 assume these paths.
      authorization_endpoint: `${origin}/authorize`,
      token_endpoint: `${origin}/token`,
      registration_endpoint: `${origin}/register`,
      revocation_endpoint: `${origin}/revoke`,
      device_authorization_endpoint: `${origin}/device-authorization`,
      code_challenge_methods_supported: ["S256"],
      authorization_response_iss_parameter_supported: true,
      client_id_metadata_document_supported: true,
      response_types_supported: ["code"],
    });
    expect(document["dpop_signing_alg_values_supported"]).toContain("ES256");
  }
  const resource = await jsonAt(`${origin}/.well-known/oauth-protected-resource/mcp`);
  expect(resource).toMatchObject({ resource: server.resource, authorization_servers: [origin] });
  expect(await jsonAt(`${origin}/jwks`)).toMatchObject({ keys: [{ kty: "EC", alg: "ES256" }] });
});

test("a guard accepts its resource in the spelling of a URL", async () => {
  await using server = await startProtected((origin) => ({ resource: `${origin}/./mcp` }));
  const { origin, broker } = server;
  const back = "http://127.0.0.1:7777/callback";
  const client = await downstream(origin, { redirectUri: back });
  const browser = openBrowser((url) => url.startsWith(back));
  const { access_token: token } = await client.redeem(await client.login(browser));
  for (const resource of [`${origin}/./mcp`, `${origin}/mcp`]) {
    const { authenticate } = createGuard({ resource, verify: broker.verify });
    const headers = new Map([["authorization", `Bearer ${token}`]]);
    const answer = await authenticate({ method: "POST", url: "/", headers, address: undefined });
    expect(answer).toMatchObject({ subject: expect.any(String) as string });
  }
});

test("an issuer with a path has its metadata and its pages under the path, and at the origin", async () => {
  await using server = await startProtected((origin) => ({ issuer: `${origin}/auth` }));
  const { origin } = server;
  for (const path of [
    "/.well-known/oauth-authorization-server/auth",
    "/.well-known/openid-configuration/auth",
    "/auth/.well-known/openid-configuration",
  ]) {
    expect(await jsonAt(`${origin}${path}`)).toMatchObject({
      issuer: `${origin}/auth`,
      token_endpoint: `${origin}/auth/token`,
      authorization_endpoint: `${origin}/auth/authorize`,
    });
  }
  const back = "http://127.0.0.1:7777/callback";
  const client = await downstream(`${origin}/auth`, { redirectUri: back });
  const browser = openBrowser((url) => url.startsWith(back));
  const url = await client.login(browser, { resource: server.resource });
  expect(url.searchParams.get("iss")).toBe(`${origin}/auth`);
  expect(url.searchParams.get("state")).toBe("s1");
});

test.each<[string, (url: URL, browser: Browser) => Promise<Page>]>([
  ["in the query", (url, browser) => browser.visit(url.href)],
  ["with an empty list", (url, browser) => browser.visit(`${url.href}&scope=`)],
  [
    "in a pushed request",
    async ({ origin, searchParams }, browser) => {
      const response = await fetch(`${origin}/par`, { method: "POST", body: searchParams });
      const { request_uri } = (await response.json()) as { readonly request_uri: string };
      const query = new URLSearchParams({ client_id: searchParams.get("client_id") ?? "", request_uri });
      return browser.visit(`${origin}/authorize?${query.toString()}`);
    },
  ],
])("a client that names no scopes %s asks for all of them", async (_, begin) => {
  await using server = await startProtected();
  const client = await downstream(server.origin);
  const browser = openBrowser((url) => url.startsWith(client.redirectUri));
  const start = await begin(new URL(client.authorizationUrl({ scope: undefined })), browser);
  expect(start.text).toContain("Read your notes");
  const page = await browser.follow(await browser.submit(start, "with:development"), "Alice Example");
  const tokens = await client.redeem(new URL((await browser.submit(page, "allow")).url));
  expect(tokens).toMatchObject({ status: 200, scope: Object.keys(scopes).join(" ") });
  expect(await tryToken(server.origin, tokens.access_token)).toBe(200);
});

test("a refresh token is replaced at each use, and its second use after the grace ends the login (B-020)", async () => {
  await using server = await startProtected({ limits: { refreshGraceMs: 0 } });
  const client = await downstream(server.origin);
  const first = await client.redeem(await client.login());
  expect(first).toMatchObject({ status: 200, token_type: "Bearer", scope: "notes:read" });
  const renew = (refresh_token: string) => client.token({ grant_type: "refresh_token", refresh_token });
  const second = await renew(first.refresh_token);
  expect(second.status).toBe(200);
  expect(second.refresh_token).not.toBe(first.refresh_token);
  expect(await renew(first.refresh_token)).toMatchObject({ status: 400, error: "invalid_grant" });
  // The thief and the client are both out.
  expect(await renew(second.refresh_token)).toMatchObject({ status: 400, error: "invalid_grant" });
  expect(await tryToken(server.origin, second.access_token)).toBe(401);
});

test("several refreshes at once with the same token all succeed within the grace", async () => {
  await using server = await startProtected();
  const client = await downstream(server.origin);
  const { refresh_token } = await client.redeem(await client.login());
  const answers = await Promise.all(
    Array.from({ length: 4 }, () => client.token({ grant_type: "refresh_token", refresh_token })),
  );
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  expect(await tryToken(server.origin, answers[3]?.access_token ?? "")).toBe(200);
});

test("a client that revokes its refresh token ends the login, and its access token with it", async () => {
  await using server = await startProtected();
  const client = await downstream(server.origin);
  const { refresh_token, access_token } = await client.redeem(await client.login());
  const response = await fetch(`${server.origin}/revoke`, {
    method: "POST",
    body: new URLSearchParams({ client_id: client.clientId, token: refresh_token }),
  });
  expect(response.status).toBe(200);
  expect(await client.token({ grant_type: "refresh_token", refresh_token })).toMatchObject({
    error: "invalid_grant",
  });
  expect(await tryToken(server.origin, access_token)).toBe(401);
});

test("a device logs in by a code that its user types on another device", async () => {
  await using server = await startProtected((origin) => ({ resource: [`${origin}/mcp`, origin] }));
  const { body } = await register(server.origin, {
    client_name: "A television",
    redirect_uris: [],
    response_types: [],
    grant_types: ["urn:ietf:params:oauth:grant-type:device_code", "refresh_token"],
    token_endpoint_auth_method: "none",
  });
  const clientId = String(body["client_id"]);
  const begun = await fetch(`${server.origin}/device-authorization`, {
    method: "POST",
    body: new URLSearchParams({ client_id: clientId, scope: "notes:read", resource: `${server.origin}/` }),
  });
  const device = (await begun.json()) as Record<string, string>;
  const client = await downstream(server.origin, { clientId });
  const poll = () =>
    client.token({
      grant_type: "urn:ietf:params:oauth:grant-type:device_code",
      device_code: device["device_code"] ?? "",
      resource: `${server.origin}/`,
    });
  expect(await poll()).toMatchObject({ status: 400, error: "authorization_pending" });
  const browser = openBrowser();
  const entry = await browser.visit(device["verification_uri"] ?? "");
  const wrong = await browser.submit(entry, "", { user_code: "BBBB-BBBB" });
  expect(wrong.status).toBe(400);
  const start = await browser.submit(entry, "", { user_code: device["user_code"]?.toLowerCase() ?? "" });
  expect(start.text).toContain("A television");
  expect(start.text).toContain("another device");
  const consent = await browser.follow(await browser.submit(start, "with:development"), "Bob Example");
  // The user compares the code, so that a code that was sent to them stands out.
  expect(consent.text).toContain(`your own device shows the code <strong>${device["user_code"]}</strong>`);
  const done = await browser.submit(consent, "allow");
  expect(done.text).toContain("Access allowed");
  const tokens = await poll();
  expect(tokens).toMatchObject({ status: 200, scope: "notes:read" });
  const claims = Buffer.from(tokens.access_token.split(".")[1] ?? "", "base64url").toString();
  expect(JSON.parse(claims)).toMatchObject({ aud: server.origin });
  expect(await poll()).toMatchObject({ status: 400 });
});

test("a client with a key gets tokens that are bound to it", async () => {
  await using server = await startProtected();
  await using auth = clientAuth(server.resource, openBrowser(), { proof: dpop() });
  expect(JSON.parse(await callTool(server.resource, auth))).toMatchObject({ binding: "dpop" });
});

test("the broker works in Express, behind its body parsers, and as a fetch handler", async () => {
  let broker: Broker | undefined;
  await using listening = await listenAt(async (origin) => {
    broker = await createBroker({ resource: `${origin}/mcp`, scopes, upstream: development() });
    const app = express();
    app.use(express.json(), express.urlencoded({ extended: false }));
    for (const route of broker.routes) {
      app.all([...route.paths], expressHandler(route));
    }
    return app;
  });
  const client = await downstream(listening.origin);
  const tokens = await client.redeem(await client.login());
  expect(tokens).toMatchObject({ status: 200, scope: "notes:read" });
  const [route] = broker?.routes ?? [];
  const renewed = await route?.serve(
    new Request(`${listening.origin}/token`, {
      method: "POST",
      body: new URLSearchParams({
        grant_type: "refresh_token",
        client_id: client.clientId,
        refresh_token: tokens.refresh_token,
      }),
    }),
  );
  expect(renewed?.status).toBe(200);
  expect(route?.fetch(new Request(`${listening.origin}/mcp`))).toBeUndefined();
});

test("the broker works in Hono and in Fastify", async () => {
  let handle: (request: Request) => Response | Promise<Response> = () => new Response(null, { status: 503 });
  await using hono = await listenAt(async (origin) => {
    const broker = await createBroker({ resource: `${origin}/mcp`, scopes, upstream: development() });
    const app = new Hono();
    for (const route of broker.routes) {
      route.paths.forEach((path) => app.all(path, honoHandler(route)));
    }
    handle = (request) => app.fetch(request);
    const listener = getRequestListener((request) => handle(request));
    return (request, response) => void listener(request, response);
  });
  await using fastify = await listenAt(async (origin) => {
    const broker = await createBroker({ resource: `${origin}/mcp`, scopes, upstream: development() });
    const app = createFastify();
    // The broker reads its forms itself.
    app.addContentTypeParser("application/x-www-form-urlencoded", (_request, _payload, done) => done(null));
    for (const route of broker.routes) {
      route.paths.forEach((path) => app.all(path, fastifyHandler(route)));
    }
    await app.ready();
    return (request, response) => app.routing(request, response);
  });
  for (const { origin } of [hono, fastify]) {
    const client = await downstream(origin);
    expect(await client.redeem(await client.login())).toMatchObject({ status: 200, scope: "notes:read" });
  }
});
