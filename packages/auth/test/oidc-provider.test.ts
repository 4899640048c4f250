import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from "node:http";
import type { AddressInfo } from "node:net";

import { systemClock } from "@tenon/base";
import { createHttpClient, platformWire, type AuthProvider } from "@tenon/http/client";
import { createRemoteJWKSet, jwtVerify } from "jose";
import { Provider } from "oidc-provider";
import { expect, test } from "vitest";

import { authorizationCode, createOAuth, dpop, type OAuthOptions } from "../src/client.ts";
import { loopbackReceiver } from "../src/node/index.ts";
import { formatChallenge } from "../src/server.ts";

async function listen(listener: RequestListener): Promise<{ server: Server; origin: string }> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  return { server, origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

/**
 * A certified authorization server, and an MCP server that accepts the tokens that it issues for
 * it.
 */
async function protectedServer(lifetime: number) {
  let handleAs: (request: IncomingMessage, response: ServerResponse) => void = () => {};
  const as = await listen((request, response) => handleAs(request, response));
  const counts = { grants: [] as string[], calls: 0 };
  let resource = "";
  const mcp = await listen((request, response) => void serve(request, response));
  resource = `${mcp.origin}/mcp`;
  const keys = createRemoteJWKSet(new URL(`${as.origin}/jwks`));

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.url === "/.well-known/oauth-protected-resource/mcp") {
      response.setHeader("content-type", "application/json");
      response.end(
        JSON.stringify({ resource, authorization_servers: [as.origin], scopes_supported: ["notes"] }),
      );
      return;
    }
    counts.calls++;
    try {
      const [, token = ""] = (request.headers.authorization ?? "").split(" ");
      await jwtVerify(token, keys, { issuer: as.origin, audience: resource, typ: "at+jwt" });
      response.end("ok");
    } catch {
      response.statusCode = 401;
      const resource_metadata = `${mcp.origin}/.well-known/oauth-protected-resource/mcp`;
      response.setHeader("www-authenticate", formatChallenge("Bearer", { resource_metadata }));
      response.end();
    }
  }

  const provider = new Provider(as.origin, {
    cookies: { keys: ["test"] },
    features: {
      registration: { enabled: true },
      revocation: { enabled: true },
      dPoP: { enabled: true, nonceSecret: Buffer.alloc(32, 7), requireNonce: () => true },
      resourceIndicators: {
        enabled: true,
        getResourceServerInfo: () => ({
          scope: "notes",
          audience: resource,
          accessTokenFormat: "jwt",
          accessTokenTTL: lifetime,
          jwt: { sign: { alg: "RS256" } },
        }),
        useGrantedResource: () => true,
      },
    },
    pkce: { required: () => true },
    issueRefreshToken: () => true,
    rotateRefreshToken: true,
    scopes: ["openid", "offline_access", "notes"],
    ttl: { AccessToken: lifetime, Session: 600, Grant: 600, Interaction: 600, RefreshToken: 600 },
  });
  const handle = provider.callback();
  handleAs = (request, response) => {
    if (request.url === "/token") {
      counts.grants.push("token");
    }
    handle(request, response);
  };
  return {
    resource,
    counts,
    async call(auth: AuthProvider): Promise<number> {
      const { signal } = new AbortController();
      const url = new URL(resource);
      const response = await createHttpClient({ wire: platformWire, auth })({
        url,
        method: "POST",
        headers: {},
        body: "{}",
        signal,
      });
      response.discard();
      return response.status;
    },
    async [Symbol.asyncDispose]() {
      for (const { server } of [as, mcp]) {
        server.closeAllConnections();
        await new Promise((resolve) => {
          server.close(resolve);
        });
      }
    },
  };
}

/**
 * Logs in as a user would, by the two forms of the server, and brings the response to the receiver.
 */
async function browse(start: string): Promise<void> {
  const cookies = new Map<string, string>();
  let url = start;
  let body: URLSearchParams | undefined;
  for (let hop = 0; hop < 20; hop++) {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const response = await fetch(url, {
      redirect: "manual",
      headers: { cookie },
      ...(body === undefined ? {} : { method: "POST", body }),
    });
    for (const line of response.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      cookies.set(name, value);
    }
    const location = response.headers.get("location");
    const page = await response.text();
    body = undefined;
    if (location !== null) {
      url = new URL(location, url).href;
    } else if (page.includes('name="prompt"')) {
      const prompt = /name="prompt" value="(\w+)"/.exec(page)?.[1] ?? "";
      url = new URL(/action="([^"]+)"/.exec(page)?.[1] ?? "", url).href;
      body = new URLSearchParams({ prompt, login: "alice", password: "any" });
    } else {
      return;
    }
  }
  throw new Error("The login does not end.");
}

const options = (server: string): OAuthOptions => ({
  server,
  interactive: true,
  grant: authorizationCode({
    receiver: loopbackReceiver(),
    open({ href }) {
      browse(href).catch(() => {});
    },
  }),
});

test("a client registers, logs in, calls, refreshes and logs out with oidc-provider (R-737, R-748, R-750, R-754)", async () => {
  await using server = await protectedServer(60);
  let ahead = 0;
  const clock = { ...systemClock, now: () => systemClock.now() + ahead };
  await using auth = createOAuth({ ...options(server.resource), clock });
  expect(await server.call(auth)).toBe(200);
  expect(auth.status).toMatchObject({ state: "authorized", generation: 1 });
  ahead = 61_000;
  const statuses = await Promise.all(Array.from({ length: 16 }, () => server.call(auth)));
  expect(new Set(statuses)).toEqual(new Set([200]));
  expect(auth.status.generation).toBe(2);
  expect(server.counts.grants).toHaveLength(2);
  await auth.logout();
  expect(auth.status.state).toBe("anonymous");
});

test("a client binds its tokens to a key with oidc-provider, which requires a nonce", async () => {
  await using server = await protectedServer(60);
  await using auth = createOAuth({ ...options(server.resource), proof: dpop() });
  expect(await server.call(auth)).toBe(200);
  // The first token request lacked the nonce.
  expect(server.counts.grants).toHaveLength(2);
});

test("A-022: the authorization server refuses a code with the verifier of another login", async () => {
  await using servers = await protectedServer(2);
  await using auth = createOAuth({
    server: servers.resource,
    grant: authorizationCode({ receiver: loopbackReceiver(), open: ({ href }) => browse(href) }),
    fetch(input, init) {
      const body = new URLSearchParams(typeof init.body === "string" ? init.body : "");
      if (!body.has("code_verifier")) {
        return fetch(input, init);
      }
      body.set("code_verifier", "v".repeat(43));
      return fetch(input, { ...init, body: body.toString() });
    },
  });
  await expect(auth.login()).rejects.toMatchObject({ code: "GRANT_EXPIRED" });
  expect(auth.status.state).toBe("needs-user");
});
