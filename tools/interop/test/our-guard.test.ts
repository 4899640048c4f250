import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

import {
  Client as ClientV2,
  StreamableHTTPClientTransport as HttpV2,
  type OAuthClientProvider,
  type OAuthDiscoveryState,
} from "@modelcontextprotocol/client";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as HttpV1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { systemClock } from "@tenon/base";
import { createGuard, protectedResource, scopePolicy } from "@tenon/sdk/auth/server";
import {
  createScriptedAuthorization,
  type ScriptedAuthorization,
  type ScriptedOptions,
} from "@tenon/sdk/auth/testing";
import { createStreamableHandler } from "@tenon/sdk/http";
import { createNodeListener } from "@tenon/sdk/node";
import { Server } from "@tenon/sdk/server";
import { expect, test } from "vitest";

const info = { name: "interop", version: "1.0.0" };

interface Protected extends AsyncDisposable {
  readonly url: URL;
  readonly scripted: ScriptedAuthorization;
  /** Why tokens were refused. */
  readonly rejected: readonly (string | undefined)[];
}

async function originOf(http: ReturnType<typeof createServer>): Promise<string> {
  await new Promise<void>((resolve) => {
    http.listen(0, "127.0.0.1", resolve);
  });
  return `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
}

/** A server behind our guard, and its authorization server. */
async function serveProtected(options: Pick<ScriptedOptions, "refreshTokens"> = {}): Promise<Protected> {
  const login = createServer();
  const http = createServer();
  const [issuer, origin] = [await originOf(login), await originOf(http)];
  const resource = `${origin}/mcp`;
  const scripted = createScriptedAuthorization({ clock: systemClock, server: resource, issuer, ...options });
  login.on("request", (incoming, outgoing) => {
    void (async () => {
      const { method = "GET", headers, url = "/" } = incoming;
      const body = Buffer.concat(await incoming.toArray()).toString();
      const answer = await scripted.fetch(new URL(url, issuer), {
        method,
        headers: headers as Record<string, string>,
        ...(method === "POST" ? { body } : {}),
      });
      outgoing.writeHead(answer.status, Object.fromEntries(answer.headers));
      outgoing.end(await answer.text());
    })();
  });

  const server = new Server(info);
  server.addTool({ name: "who" }, (_, { auth }) => auth?.scopes?.join(" ") ?? "nobody");
  server.addTool({ name: "add" }, () => "added");
  const rejected: (string | undefined)[] = [];
  const guard = createGuard({
    resource,
    scopes: ["notes:read"],
    policy: scopePolicy({ default: [], tools: { add: ["notes:write"] } }),
    onRejected: ({ reason }) => rejected.push(reason),
    verify(token) {
      const access = scripted.tokens.access(token);
      return access === undefined
        ? { rejected: "expired", reason: "unknown to the issuer" }
        : {
            issuer,
            subject: "ada",
            clientId: access.clientId,
            audience: access.resource ?? [],
            scopes: access.scopes,
            expiresAt: Date.now() + 60_000,
            ttlMs: 0,
          };
    },
  });
  const handler = createStreamableHandler({ getServer: () => server, ...guard });
  const metadata = protectedResource({ resource, authorizationServers: [issuer], scopes: ["notes:read"] });
  http.on("request", createNodeListener(handler, { path: "/mcp", routes: [metadata] }));
  return {
    url: new URL(resource),
    scripted,
    rejected,
    async [Symbol.asyncDispose]() {
      await handler.close();
      for (const each of [http, login]) {
        each.closeAllConnections();
        each.close();
      }
    },
  };
}

interface Official extends OAuthClientProvider {
  /** Visits the page of the login, and returns the parameters of the redirect. */
  response(): Promise<URLSearchParams>;
}

/** The state of an official client, and a user who agrees to everything. */
function officialProvider(): Official {
  const redirectUrl = "http://127.0.0.1:49152/callback";
  let page: URL | undefined;
  let verifier = "";
  let client: Awaited<ReturnType<OAuthClientProvider["clientInformation"]>>;
  let discovery: OAuthDiscoveryState | undefined;
  let tokens: Awaited<ReturnType<OAuthClientProvider["tokens"]>>;
  return {
    redirectUrl,
    clientMetadata: {
      redirect_uris: [redirectUrl],
      client_name: "official",
      token_endpoint_auth_method: "none",
    },
    clientInformation: () => client,
    saveClientInformation: (value) => void (client = value),
    tokens: () => tokens,
    saveTokens: (value) => void (tokens = value),
    redirectToAuthorization: (url) => void (page = url),
    saveCodeVerifier: (value) => void (verifier = value),
    codeVerifier: () => verifier,
    saveDiscoveryState: (value) => void (discovery = value),
    discoveryState: () => discovery,
    async response() {
      const { headers } = await fetch(page?.href ?? "", { redirect: "manual" });
      return new URL(headers.get("location") ?? "").searchParams;
    },
  };
}

interface OfficialPeer {
  connect(url: URL, authProvider: OAuthClientProvider): Promise<OfficialSession>;
  finish(url: URL, authProvider: OAuthClientProvider, response: URLSearchParams): Promise<void>;
}

interface OfficialSession extends AsyncDisposable {
  call(name: string): Promise<unknown>;
}

const official2: OfficialPeer = {
  async connect(url, authProvider) {
    const client = new ClientV2(info);
    await client.connect(new HttpV2(url, { authProvider }));
    return {
      call: async (name) => (await client.callTool({ name, arguments: {} })).content,
      [Symbol.asyncDispose]: () => client.close(),
    };
  },
  finish: (url, authProvider, response) => new HttpV2(url, { authProvider }).finishAuth(response),
};

const official1: OfficialPeer = {
  async connect(url, authProvider) {
    const client = new ClientV1(info);
    await client.connect(new HttpV1(url, { authProvider }));
    return {
      call: async (name) => (await client.callTool({ name, arguments: {} })).content,
      [Symbol.asyncDispose]: () => client.close(),
    };
  },
  finish: (url, authProvider, response) =>
    new HttpV1(url, { authProvider }).finishAuth(response.get("code") ?? ""),
};

async function logIn(peer: OfficialPeer, url: URL, provider: Official): Promise<OfficialSession> {
  await expect(peer.connect(url, provider)).rejects.toThrow("Unauthorized");
  await peer.finish(url, provider, await provider.response());
  return peer.connect(url, provider);
}

test.each([
  ["2.x", official2],
  ["1.x", official1],
])("the official client %s logs in at our guard, and refreshes its token", async (_, peer) => {
  await using server = await serveProtected();
  const { url, scripted } = server;
  await using session = await logIn(peer, url, officialProvider());
  expect(await session.call("who")).toEqual([{ type: "text", text: "notes:read" }]);
  scripted.tokens.expireAll();
  expect(await session.call("who")).toEqual([{ type: "text", text: "notes:read" }]);
  expect(server.rejected).toContain("unknown to the issuer");
  expect(scripted.of("authorize")).toHaveLength(1);
});

test.each([
  ["2.x with a refresh token", official2, true],
  ["2.x without one", official2, false],
  ["1.x without one", official1, false],
])(
  "the official client %s asks for the further scope that our guard names",
  async (_, peer, refreshTokens) => {
    await using server = await serveProtected({ refreshTokens });
    const { url, scripted } = server;
    const provider = officialProvider();
    await using session = await logIn(peer, url, provider);
    await expect(session.call("add")).rejects.toThrow("Unauthorized");
    await peer.finish(url, provider, await provider.response());
    expect(await session.call("add")).toEqual([{ type: "text", text: "added" }]);
    expect(scripted.of("authorize").map(({ parameters }) => parameters.get("scope"))).toEqual([
      "notes:read",
      "notes:read notes:write",
    ]);
  },
);

// The client 1.x refreshes its token instead of asking the user, and a refresh adds no scope.
test("the official client 1.x with a refresh token gives up after one refresh, and still may read", async () => {
  await using server = await serveProtected();
  const { url, scripted } = server;
  await using session = await logIn(official1, url, officialProvider());
  const before = scripted.of("token").length;
  await expect(session.call("add")).rejects.toThrow("403");
  expect(scripted.of("token")).toHaveLength(before + 1);
  expect(scripted.of("authorize")).toHaveLength(1);
  expect(await session.call("who")).toEqual([{ type: "text", text: "notes:read" }]);
});
