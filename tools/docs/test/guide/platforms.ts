import { createStreamableHandler, type StreamableHandler } from "@tenon/sdk/http";
import { Server } from "@tenon/sdk/server";

const server = new Server({ name: "greeter", version: "1.0.0" });
server.addTool({ name: "greet" }, (_, { auth }) => `Hello, ${auth?.principal ?? "stranger"}!`);
const handler = createStreamableHandler({ getServer: () => server });

// #region next
export const POST = handler.fetch;
export const GET = handler.fetch;
export const DELETE = handler.fetch;
export const OPTIONS = handler.fetch;
// #endregion next

/** What the runtimes take, as their own types have it. */
interface Bun {
  serve(options: {
    readonly port: number;
    readonly idleTimeout: number;
    fetch(this: object, request: Request, server: object): unknown;
  }): unknown;
}
interface Deno {
  serve(
    options: { readonly port: number },
    handler: (request: Request, info: object) => Promise<Response>,
  ): unknown;
}

export function serveOnBun(Bun: Bun): void {
  // #region bun
  Bun.serve({ port: 3000, idleTimeout: 0, fetch: handler.fetch });
  // #endregion bun
}

export function serveOnDeno(Deno: Deno): void {
  // #region deno
  Deno.serve({ port: 3000 }, handler.fetch);
  // #endregion deno
}

/** What Next and Workers check the exports of a module against. */
export const route: (request: Request, context: { readonly params: Promise<object> }) => Promise<Response> =
  POST;
export const worker: { fetch?(request: Request, env: unknown, context: object): Promise<Response> } = handler;

// #region browser
export function createForBrowsers(): StreamableHandler {
  const users = new Map([["Bearer secret", { principal: "Ada" }]]);
  return createStreamableHandler({
    getServer: () => server,
    allowedHosts: ["mcp.example.com"],
    allowedOrigins: ["https://chat.example.com"],
    authenticate: ({ headers }) => users.get(headers.get("authorization") ?? ""),
  });
}
// #endregion browser

// #region known
/** Serves a request after other code, such as a gateway in front, has identified its sender. */
export function serveFor(request: Request, userId: string): Promise<Response> {
  return handler.serve(request, { auth: { principal: userId } });
}
// #endregion known
