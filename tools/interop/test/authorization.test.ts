import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";

import { DemoInMemoryAuthProvider } from "@modelcontextprotocol/sdk/examples/server/demoInMemoryOAuthProvider.js";
import { requireBearerAuth as requireBearerAuthV1 } from "@modelcontextprotocol/sdk/server/auth/middleware/bearerAuth.js";
import {
  getOAuthProtectedResourceMetadataUrl as metadataUrlV1,
  mcpAuthRouter,
} from "@modelcontextprotocol/sdk/server/auth/router.js";
import { McpServer as ServerV1 } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import {
  createMcpHandler,
  getOAuthProtectedResourceMetadataUrl,
  McpServer as ServerV2,
  OAuthError,
  OAuthErrorCode,
  oauthMetadataResponse,
  requireBearerAuth,
} from "@modelcontextprotocol/server";
import { systemClock } from "@tenon/base";
import { authorizationCode, createOAuth, memoryStore, type RedirectReceiver } from "@tenon/sdk/auth/client";
import { oauthFor } from "@tenon/sdk/auth/node";
import { createScriptedAuthorization, type ScriptedAuthorization } from "@tenon/sdk/auth/testing";
import { Client } from "@tenon/sdk/client";
import { Manager, type HostEvents } from "@tenon/sdk/host";
import { nodeTransports } from "@tenon/sdk/host/node";
import { StreamableClientTransport } from "@tenon/sdk/http";
import express from "express";
import { expect, test } from "vitest";

const info = { name: "interop", version: "1.0.0" };
const revisions = ["2025-11-25", "2026-07-28"] as const;

interface Listening extends AsyncDisposable {
  readonly origin: string;
}

async function listen(listener: RequestListener): Promise<Listening> {
  const http = createServer(listener);
  await new Promise<void>((resolve) => {
    http.listen(0, "127.0.0.1", resolve);
  });
  return {
    origin: `http://127.0.0.1:${(http.address() as AddressInfo).port}`,
    [Symbol.asyncDispose]() {
      http.closeAllConnections();
      http.close();
      return Promise.resolve();
    },
  };
}

/** Serves a `fetch` handler over HTTP. */
function listenFetch(handler: (request: Request) => Promise<Response>): Promise<Listening> {
  return listen((incoming, outgoing) => {
    void (async () => {
      const { method = "GET", headers, url = "/" } = incoming;
      const request = new Request(`http://${headers.host}${url}`, {
        method,
        headers: headers as Record<string, string>,
        ...(method === "POST"
          ? { body: Readable.toWeb(incoming) as globalThis.ReadableStream, duplex: "half" as const }
          : {}),
      });
      const response = await handler(request);
      outgoing.writeHead(response.status, Object.fromEntries(response.headers));
      if (response.body === null) {
        outgoing.end();
      } else {
        Readable.fromWeb(response.body).pipe(outgoing);
      }
    })();
  });
}

/** A user who agrees to everything, at an authorization server that asks nothing. */
function agreeingUser(): {
  receiver: RedirectReceiver;
  open(url: { readonly href: string }): Promise<void>;
} {
  const redirectUri = "http://127.0.0.1:49152/callback";
  let arrive: (parameters: URLSearchParams) => void = () => {};
  return {
    receiver: {
      open: () => {
        const response = new Promise<URLSearchParams>((resolve) => {
          arrive = resolve;
        });
        return Promise.resolve({ redirectUri, response, [Symbol.asyncDispose]: () => Promise.resolve() });
      },
    },
    async open({ href }) {
      const { headers } = await fetch(href, { redirect: "manual" });
      arrive(new URL(headers.get("location") ?? "").searchParams);
    },
  };
}

/** An official server v1 that is its own authorization server. */
async function officialV1(): Promise<Listening> {
  const provider = new DemoInMemoryAuthProvider();
  const app = express();
  const listening = await listen(app);
  const issuerUrl = new URL(listening.origin);
  const resourceServerUrl = new URL("/mcp", issuerUrl);
  app.use(mcpAuthRouter({ provider, issuerUrl, resourceServerUrl, scopesSupported: ["tools"] }));
  const guard = requireBearerAuthV1({
    verifier: provider,
    requiredScopes: ["tools"],
    resourceMetadataUrl: metadataUrlV1(resourceServerUrl),
  });
  const answer = async (request: express.Request, response: express.Response): Promise<void> => {
    const server = new ServerV1(info);
    server.registerTool("who", {}, (extra) => ({
      content: [{ type: "text", text: extra.authInfo?.scopes.join(" ") ?? "nobody" }],
    }));
    const transport = new StreamableHTTPServerTransport({});
    await server.connect(transport);
    await transport.handleRequest(request, response, request.body);
  };
  app.all("/mcp", guard, express.json(), (request, response) => void answer(request, response));
  return listening;
}

/** An official server v2 behind a scripted authorization server. */
async function officialV2(): Promise<Listening & { readonly scripted: ScriptedAuthorization }> {
  let scripted: ScriptedAuthorization | undefined;
  const issuer = await listenFetch(async (request) => {
    const body = request.method === "POST" ? { body: await request.text() } : {};
    const { method, headers, url } = request;
    return scripted === undefined
      ? new Response("", { status: 503 })
      : scripted.fetch(new URL(url), { method, headers, ...body });
  });
  const handler = createMcpHandler(() => {
    const server = new ServerV2(info, { capabilities: { tools: {} } });
    server.registerTool("who", {}, (context) => ({
      content: [{ type: "text", text: context.http?.authInfo?.scopes.join(" ") ?? "nobody" }],
    }));
    return server;
  });
  const guarded = await listenFetch(async (request) => {
    const resourceServerUrl = new URL("/mcp", request.url);
    const metadata = oauthMetadataResponse(request, {
      oauthMetadata: {
        issuer: issuer.origin,
        authorization_endpoint: `${issuer.origin}/authorize`,
        token_endpoint: `${issuer.origin}/token`,
        response_types_supported: ["code"],
      },
      resourceServerUrl,
      scopesSupported: ["tools"],
    });
    if (metadata !== undefined) {
      return metadata;
    }
    const admitted = await requireBearerAuth({
      verifier: {
        verifyAccessToken(token) {
          const access = scripted?.tokens.access(token);
          if (access === undefined) {
            throw new OAuthError(OAuthErrorCode.InvalidToken, "unknown");
          }
          return Promise.resolve({
            token,
            clientId: access.clientId,
            scopes: [...access.scopes],
            expiresAt: Date.now() / 1000 + 60,
            resource: new URL(access.resource ?? ""),
          });
        },
      },
      requiredScopes: ["tools"],
      expectedResource: resourceServerUrl,
      resourceMetadataUrl: getOAuthProtectedResourceMetadataUrl(resourceServerUrl),
    })(request);
    return admitted instanceof Response ? admitted : handler.fetch(request, { authInfo: admitted });
  });
  scripted = createScriptedAuthorization({
    clock: systemClock,
    server: `${guarded.origin}/mcp`,
    issuer: issuer.origin,
  });
  return {
    origin: guarded.origin,
    scripted,
    async [Symbol.asyncDispose]() {
      await guarded[Symbol.asyncDispose]();
      await issuer[Symbol.asyncDispose]();
    },
  };
}

test("our client logs in to a protected official server v1, which is its own authorization server", async () => {
  await using server = await officialV1();
  const url = `${server.origin}/mcp`;
  await using auth = createOAuth({ server: url, grant: authorizationCode(agreeingUser()) });
  await using client = new Client(info);
  await expect(client.connect(new StreamableClientTransport(url, { auth }))).rejects.toMatchObject({
    code: "NEEDS_USER",
    status: 401,
  });
  await auth.login();
  const session = await client.connect(new StreamableClientTransport(url, { auth }));
  const { content } = await session.callTool({ name: "who", arguments: {} });
  expect(content).toEqual([{ type: "text", text: "tools" }]);
});

test.each(revisions)(
  "our client in revision %s logs in to a protected official server v2, and refreshes its token",
  async (revision) => {
    await using server = await officialV2();
    const url = `${server.origin}/mcp`;
    await using auth = createOAuth({
      server: url,
      grant: authorizationCode(agreeingUser()),
      interactive: true,
    });
    await using client = new Client(info, { revisions: [revision] });
    const session = await client.connect(new StreamableClientTransport(url, { auth, eras: false }));
    const call = (): Promise<unknown> => session.callTool({ name: "who", arguments: {} });
    await call();
    server.scripted.tokens.expireAll();
    const results = await Promise.all(Array.from({ length: 8 }, call));
    expect(results).toEqual(
      results.map(() => expect.objectContaining({ content: [{ type: "text", text: "tools" }] })),
    );
    expect(server.scripted.of("token")).toHaveLength(2);
    expect(server.scripted.tokens.reuses).toBe(0);
  },
);

test("a host logs in to a protected official server v2 by one click", async () => {
  await using server = await officialV2();
  const auth = oauthFor({ store: memoryStore(), grant: authorizationCode(agreeingUser()) });
  await using manager = new Manager({
    servers: { far: { type: "http", url: `${server.origin}/mcp` } },
    transports: nodeTransports({ auth }),
  });
  const events: HostEvents["auth_required"][] = [];
  manager.on("auth_required", (event) => events.push(event));
  await manager.connectAll();
  expect(manager.snapshot.get("far")?.state).toBe("needs_auth");
  await events[0]?.login?.();
  expect(manager.snapshot.get("far")?.state).toBe("ready");
  const { content } = await manager.callTool("far", "who");
  expect(content).toMatchObject([{ text: "tools" }]);
  // One server has one provider, so a second connection needs no login.
  await manager.close("far");
  await manager.connect("far");
  expect(server.scripted.of("authorize")).toHaveLength(1);
});
