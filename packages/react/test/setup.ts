import { createServer, type ServerResponse } from "node:http";
import { json } from "node:stream/consumers";

import { Server, type RequestContext } from "@tenon/mcp/server";
import { deferred, type Deferred } from "@tenon/test-support";
import { originOnFreePort } from "@tenon/test-support/http";
import { createStreamableHandler } from "@tenon/transports-streamable-http/server";

/** A server of pages, and what happens at it. */
export interface Desk extends AsyncDisposable {
  readonly url: string;
  readonly server: Server;
  /**
   * Methods of HTTP, and of MCP where headers have them: `POST tools/list`, `DELETE`. In the order
   * of their arrival.
   */
  readonly requests: readonly string[];
  /** Requests whose response has not ended. */
  readonly open: ReadonlySet<ServerResponse>;
  /** The calls of the tool `work`, which return when their gate opens. */
  readonly calls: readonly { readonly signal: AbortSignal; readonly gate: Deferred<void> }[];
}

/** Serves tools, prompts and resources to the pages of an origin. */
export async function openDesk(origin: string): Promise<Desk> {
  const requests: string[] = [];
  const open = new Set<ServerResponse>();
  const calls: { signal: AbortSignal; gate: Deferred<void> }[] = [];
  const server = new Server({ name: "desk", version: "1.0.0" });
  server.addTool({ name: "work" }, async (_, ctx) => {
    const gate = deferred();
    calls.push({ signal: ctx.signal, gate });
    await ctx.progress(1, 2, "half");
    await gate.promise;
    return `done ${calls.length}`;
  });
  const order = async (_: unknown, ctx: RequestContext): Promise<string> => {
    const { action, content } = await ctx.elicit({
      message: "For whom?",
      requestedSchema: { type: "object", properties: { name: { type: "string" } }, required: ["name"] },
    });
    return action === "accept" ? `Tea for ${content.name}.` : action;
  };
  server.addTool({ name: "order", inputSchema: { type: "object", properties: { item: {} } } }, order);
  server.addTool(
    { name: "ask", input: { type: "object", properties: { url: { type: "string" } } } },
    async ({ url }, ctx) =>
      url === undefined
        ? order({}, ctx)
        : (await ctx.elicit({ mode: "url", message: "Log in.", url: url })).action,
  );
  let edition = 0;
  server.addResource({ uri: "notes://1", name: "one" }, () => `edition ${++edition}`);
  server.addResourceTemplate(
    { uriTemplate: "notes://by/{who}", name: "by" },
    ({ variables }) => variables.who,
  );
  server.addPrompt({ name: "review", arguments: [{ name: "topic", required: true }] }, ({ topic }) => topic);
  const handler = createStreamableHandler({ getServer: () => server, allowedOrigins: [origin] });
  const http = createServer((request, response) => {
    if (request.method !== "OPTIONS") {
      const { "mcp-method": method, "mcp-session-id": session } = request.headers;
      const isFirst = request.method === "POST" && method === undefined && session === undefined;
      requests.push(`${request.method} ${isFirst ? "initialize" : String(method ?? "")}`.trim());
      open.add(response);
      response.once("close", () => open.delete(response));
    }
    void handler.node(request, response);
  });
  return {
    url: `${await originOnFreePort(http)}/mcp`,
    server,
    requests,
    open,
    calls,
    async [Symbol.asyncDispose]() {
      await handler.close();
      http.close();
      http.closeAllConnections();
    },
  };
}

/** A server that requires a login, and its authorization server, which asks no questions. */
export async function openProtected(origin: string): Promise<{ readonly url: string } & AsyncDisposable> {
  const server = new Server({ name: "protected", version: "1.0.0" });
  server.addTool({ name: "balance" }, () => "12 €");
  const http = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "/", base);
    if (pathname === "/mcp") {
      void handler.node(request, response);
      return;
    }
    const redirect = new URL(searchParams.get("redirect_uri") ?? base);
    redirect.search = new URLSearchParams({
      code: "code",
      state: searchParams.get("state") ?? "",
    }).toString();
    response.setHeader("access-control-allow-origin", "*").setHeader("access-control-allow-headers", "*");
    if (pathname === "/authorize") {
      response.writeHead(302, { location: redirect.href }).end();
    } else if (request.method === "OPTIONS") {
      response.writeHead(204).end();
    } else if (pathname === "/register") {
      void json(request).then((metadata) => {
        response.writeHead(201, { "content-type": "application/json" });
        response.end(JSON.stringify({ ...(metadata as object), client_id: "page" }));
      });
    } else {
      const found = documents[pathname];
      response.writeHead(found === undefined ? 404 : 200, { "content-type": "application/json" });
      response.end(JSON.stringify(found));
    }
  });
  const base = await originOnFreePort(http);
  const documents: Readonly<Record<string, object>> = {
    "/.well-known/oauth-protected-resource/mcp": { resource: `${base}/mcp`, authorization_servers: [base] },
    "/.well-known/oauth-authorization-server": {
      issuer: base,
      authorization_endpoint: `${base}/authorize`,
      token_endpoint: `${base}/token`,
      registration_endpoint: `${base}/register`,
      response_types_supported: ["code"],
      code_challenge_methods_supported: ["S256"],
    },
    "/token": { access_token: "token", token_type: "Bearer", expires_in: 3600 },
  };
  const challenge = `Bearer resource_metadata="${base}/.well-known/oauth-protected-resource/mcp"`;
  const handler = createStreamableHandler({
    getServer: () => server,
    allowedOrigins: [origin],
    authenticate: ({ headers }) =>
      headers.get("authorization") === "Bearer token"
        ? { principal: "Ada" }
        : new Response(null, { status: 401, headers: { "www-authenticate": challenge } }),
  });
  return {
    url: `${base}/mcp`,
    async [Symbol.asyncDispose]() {
      await handler.close();
      http.close();
      http.closeAllConnections();
    },
  };
}
