import { createServer, request as send, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";

import { expressHandler } from "@tenon/express";
import { fastifyHandler } from "@tenon/fastify";
import { honoHandler } from "@tenon/hono";
import { createGuard, protectedResource, scopePolicy, type ProtectedResource } from "@tenon/sdk/auth/server";
import { createSSEHandler, createStreamableHandler, type StreamableHandler } from "@tenon/sdk/http";
import { createNodeListener } from "@tenon/sdk/node";
import { Server } from "@tenon/sdk/server";
import express from "express";
import fastify from "fastify";
import { Hono } from "hono";
import { describe, expect, test } from "vitest";

const resource = "http://localhost/mcp";
const scopesOf = new Map([
  ["reader", ["notes:read"]],
  ["writer", ["notes:read", "notes:write"]],
  ["stranger", []],
]);

/** A guard whose tokens are the names of their users. */
function createParts(): { handler: StreamableHandler; metadata: ProtectedResource } {
  const policy = scopePolicy({ default: "deny", tools: { list: ["notes:read"], add: ["notes:write"] } });
  const guard = createGuard({
    resource,
    scopes: ["notes:read"],
    policy,
    verify: (subject) => {
      const scopes = scopesOf.get(subject);
      return scopes === undefined
        ? { rejected: "invalid" }
        : {
            issuer: "https://login.example.com",
            subject,
            audience: resource,
            scopes,
            expiresAt: Date.now() + 60_000,
          };
    },
  });
  const server = new Server({ name: "guarded", version: "1.0.0" });
  server.addTool({ name: "list" }, (_, { auth }) => auth?.subject ?? "nobody");
  server.addTool({ name: "add" }, () => "added");
  server.addTool({ name: "other" }, () => "never");
  return {
    handler: createStreamableHandler({ getServer: () => server, ...guard }),
    metadata: protectedResource({ resource, authorizationServers: ["https://login.example.com"] }),
  };
}

interface Reached extends AsyncDisposable {
  readonly origin: string;
  /** Sends a request as this platform receives it. */
  fetch(path: string, init?: RequestInit): Promise<Response>;
}

async function reachable(listener: RequestListener, close: () => Promise<unknown>): Promise<Reached> {
  const http = createServer(listener);
  await new Promise<void>((resolve) => {
    http.listen(0, "127.0.0.1", resolve);
  });
  const origin = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
  return {
    origin,
    fetch: (path, init) => fetch(origin + path, init),
    async [Symbol.asyncDispose]() {
      await close();
      http.closeAllConnections();
      await new Promise((resolve) => {
        http.close(resolve);
      });
    },
  };
}

const inProcess = (
  serve: (request: Request) => Response | Promise<Response>,
  close: () => Promise<unknown>,
): Reached => ({
  origin: "http://localhost",
  fetch: async (path, init) => serve(new Request(`http://localhost${path}`, init)),
  [Symbol.asyncDispose]: async () => {
    await close();
  },
});

const platforms: Readonly<Record<string, () => Promise<Reached>>> = {
  node() {
    const { handler, metadata } = createParts();
    return reachable(createNodeListener(handler, { path: "/mcp", routes: [metadata] }), () =>
      handler.close(),
    );
  },
  express() {
    const { handler, metadata } = createParts();
    const app = express();
    app.use(express.json());
    app.all([...metadata.paths], expressHandler(metadata));
    app.all("/mcp", expressHandler(handler));
    return reachable(app, () => handler.close());
  },
  async fastify() {
    const { handler, metadata } = createParts();
    const app = fastify();
    for (const path of metadata.paths) {
      app.all(path, fastifyHandler(metadata));
    }
    app.all("/mcp", fastifyHandler(handler));
    await app.ready();
    return reachable(app.routing.bind(app), () => handler.close());
  },
  hono() {
    const { handler, metadata } = createParts();
    const app = new Hono<{ Variables: { auth: unknown } }>();
    for (const path of metadata.paths) {
      app.all(path, honoHandler(metadata));
    }
    app.all("/mcp", honoHandler(handler));
    return Promise.resolve(
      inProcess(
        (request) => app.fetch(request),
        () => handler.close(),
      ),
    );
  },
  fetch() {
    const { handler, metadata } = createParts();
    const serve = (request: Request): Promise<Response> => metadata.fetch(request) ?? handler.fetch(request);
    return Promise.resolve(inProcess(serve, () => handler.close()));
  },
};

function call(tool: string, token?: string): RequestInit {
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  return {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": "tools/call",
      "mcp-name": tool,
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: tool, _meta } }),
  };
}

describe.each(Object.keys(platforms))("a guarded server behind %s", (name) => {
  const start = (): Promise<Reached> => (platforms[name] as () => Promise<Reached>)();

  test("refuses by status and challenge, and serves who has the scopes (R-299, R-721, R-724, R-728)", async () => {
    await using server = await start();
    const outcome = async (tool: string, token?: string): Promise<[number, string | null]> => {
      const response = await server.fetch("/mcp", call(tool, token));
      await response.text();
      return [response.status, response.headers.get("www-authenticate")];
    };
    const metadata = 'resource_metadata="http://localhost/.well-known/oauth-protected-resource/mcp"';
    expect(await outcome("list")).toEqual([401, `Bearer scope="notes:read", ${metadata}`]);
    expect(await outcome("list", "unknown")).toEqual([401, expect.stringContaining("invalid_token")]);
    expect(await outcome("list", "stranger")).toEqual([403, expect.stringContaining('scope="notes:read"')]);
    expect(await outcome("add", "reader")).toEqual([
      403,
      `Bearer error="insufficient_scope", scope="notes:read notes:write", ${metadata}`,
    ]);
    expect(await outcome("other", "writer")).toEqual([403, null]);
    expect(await outcome("add", "writer")).toEqual([200, null]);
    const listed = await server.fetch("/mcp", call("list", "reader"));
    expect(await listed.json()).toMatchObject({ result: { content: [{ text: "reader" }] } });
  });

  test("serves the metadata beside the endpoint, without a token and for pages (R-723, R-724)", async () => {
    await using server = await start();
    for (const path of ["", "/mcp"]) {
      const response = await server.fetch(`/.well-known/oauth-protected-resource${path}`);
      expect(response.status).toBe(200);
      expect(response.headers.get("access-control-allow-origin")).toBe("*");
      expect(await response.json()).toMatchObject({ resource });
    }
  });

  test("lets pages of an admitted origin read a challenge, after a preflight without a token", async () => {
    await using server = await start();
    const origin = "http://localhost:6274";
    const preflight = await server.fetch("/mcp", {
      method: "OPTIONS",
      headers: {
        origin,
        "access-control-request-method": "POST",
        "access-control-request-headers": "authorization",
      },
    });
    expect(preflight.status).toBe(204);
    const { headers, ...rest } = call("list");
    const refused = await server.fetch("/mcp", { ...rest, headers: { ...(headers as object), origin } });
    expect(refused.status).toBe(401);
    expect(refused.headers.get("access-control-allow-origin")).toBe(origin);
    expect(refused.headers.get("access-control-expose-headers")).toContain("WWW-Authenticate, DPoP-Nonce");
  });
});

test.each(["node", "express", "fastify"])(
  "A-061: two Authorization lines are refused with 400: %s",
  async (name) => {
    await using server = await (platforms[name] as () => Promise<Reached>)();
    const { headers, body } = call("list", "reader") as { headers: Record<string, string>; body: string };
    const status = await new Promise((resolve, reject) => {
      const fields = Object.entries({
        ...headers,
        host: "localhost",
        "content-length": String(body.length),
      }).flat();
      const sent = send(`${server.origin}/mcp`, {
        method: "POST",
        headers: [...fields, "authorization", "Bearer writer"],
      });
      sent.on("response", (response) => {
        response.resume();
        resolve(response.statusCode);
      });
      sent.on("error", reject);
      sent.end(body);
    });
    expect(status).toBe(400);
  },
);

test("the same guard protects HTTP+SSE", async () => {
  const server = new Server({ name: "guarded", version: "1.0.0" });
  const guard = createGuard({
    resource: "http://localhost/sse",
    verify: (subject) => ({
      issuer: "https://login.example.com",
      subject,
      audience: "http://localhost/sse",
      scopes: [],
      expiresAt: Date.now() + 60_000,
    }),
  });
  const handler = createSSEHandler({ getServer: () => server, ...guard });
  const open = (headers: Record<string, string>): Promise<Response> =>
    handler.fetch(new Request("http://localhost/sse", { headers }));
  expect((await open({})).status).toBe(401);
  const opened = await open({ authorization: "Bearer ada" });
  expect(opened.status).toBe(200);
  await handler.revoke('["https://login.example.com","ada",null]');
  await opened.text();
  await handler.close({ drainMs: 0 });
});

test("A-063: a session does not exist for another user, nor for the same user through another client", async () => {
  const guard = createGuard({
    resource,
    verify: (token) => {
      const [subject = "", clientId] = token.split(".");
      const expiresAt = Date.now() + 60_000;
      return {
        issuer: "https://login.example.com",
        subject,
        clientId,
        audience: resource,
        scopes: [],
        expiresAt,
      };
    },
  });
  const server = new Server({ name: "guarded", version: "1.0.0" });
  await using handler = createStreamableHandler({ getServer: () => server, ...guard });
  const post = (token: string, message: object, headers = {}): Promise<Response> =>
    handler.fetch(
      new Request(resource, {
        method: "POST",
        headers: {
          "content-type": "application/json",
          accept: "application/json, text/event-stream",
          authorization: `Bearer ${token}`,
          ...headers,
        },
        body: JSON.stringify({ jsonrpc: "2.0", id: 1, ...message }),
      }),
    );
  const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "t", version: "1" } };
  const opened = await post("ada.editor", { method: "initialize", params });
  await opened.text();
  const session = { "mcp-session-id": opened.headers.get("mcp-session-id") ?? "" };
  const statusFor = async (token: string): Promise<number> => {
    const { status, body } = await post(token, { method: "ping" }, session);
    await body?.cancel();
    return status;
  };
  expect(await statusFor("bob.editor")).toBe(404);
  expect(await statusFor("ada.browser")).toBe(404);
  // A new token of the same user through the same client.
  expect(await statusFor("ada.editor.renewed")).toBe(200);
});
