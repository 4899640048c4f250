/**
 * Modern requests over HTTP: Tenon's handler in front of the handlers of official servers. Loaded
 * with the first of them.
 *
 * @packageDocumentation
 */

import { createHash, randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";

import type { AuthInfo } from "@tenon/protocol";
import { createStreamableHandler, type StreamableHandler } from "@tenon/transports-streamable-http/server";
import type { AuthInfo as OfficialAuthInfo } from "mcp-sdk-1/server/auth/types.js";

import type { ServerInternals } from "./engine.ts";
import { serving, tenonServerOf, type Serving } from "./modern.lazy.ts";

/** One handler for all servers: programs without sessions make a server for each request. */
let handler: StreamableHandler | undefined;

function handlerOf(): StreamableHandler {
  handler ??= createStreamableHandler({
    getServer: () => {
      const store = serving.getStore();
      if (store === undefined) {
        throw new Error("A request was served outside of handleRequest.");
      }
      return tenonServerOf(store.official, store.method);
    },
    sessions: false,
    // `modernOwner` has applied what the program allows, and the program responds to preflights.
    allowedHosts: "any",
    allowedOrigins: "any",
    cors: false,
    onError: (error) => serving.getStore()?.official._onerror(error as Error),
  });
  return handler;
}

/** Serves a request of `node:http`. */
export function serveNode(
  official: ServerInternals,
  request: IncomingMessage & { readonly auth?: OfficialAuthInfo | undefined },
  response: ServerResponse,
  parsedBody: unknown,
): Promise<void> {
  const { "mcp-method": method, host = "localhost" } = request.headers;
  const scheme = "encrypted" in request.socket ? "https" : "http";
  const address = `${scheme}://${host}${request.url ?? ""}`;
  const current: Serving = {
    official,
    method: typeof method === "string" ? method : undefined,
    url: URL.canParse(address) ? new URL(address) : undefined,
  };
  return serving.run(current, () =>
    handlerOf().node(request, response, {
      ...(parsedBody === undefined ? {} : { parsedBody }),
      auth: senderOf(request.auth),
    }),
  );
}

/** Serves a request of the web. */
export function serveWeb(
  official: ServerInternals,
  request: Request,
  auth: OfficialAuthInfo | undefined,
  parsedBody: unknown,
): Promise<Response> {
  // Parsers of bodies also run for a GET, which has none.
  const hasBody = parsedBody !== undefined && request.method === "POST";
  const served = hasBody ? withBody(request, parsedBody) : request;
  const method = request.headers.get("mcp-method") ?? undefined;
  const url = new URL(request.url);
  return serving.run({ official, method, url }, () => handlerOf().serve(served, { auth: senderOf(auth) }));
}

function withBody({ url, headers: given, method, signal }: Request, parsedBody: unknown): Request {
  const headers = new Headers(given);
  // They describe the body as the client sent it.
  headers.delete("content-encoding");
  headers.delete("content-length");
  return new Request(url, { method, headers, signal, body: JSON.stringify(parsedBody) });
}

/**
 * The sender of a request. Many users share a client, and the official package does not name them:
 * if `extra.sub` does not, the token tells them apart. Programs may set an object of their own
 * without a token, as `express-jwt` does, and then the whole object does.
 */
export function senderOf(auth: Partial<OfficialAuthInfo> | null | undefined): AuthInfo | undefined {
  if (auth === undefined || auth === null) {
    return undefined;
  }
  const { clientId, scopes, expiresAt, extra, token } = auth;
  const user =
    typeof extra?.["sub"] === "string"
      ? ["sub", extra["sub"]]
      : typeof token === "string"
        ? ["token", hashOf(token)]
        : ["auth", hashOf(textOf(auth))];
  return {
    principal: JSON.stringify([clientId, ...user]),
    clientId,
    scopes,
    ...(expiresAt === undefined ? {} : { expiresAt: expiresAt * 1000 }),
    claims: { official: auth },
  };
}

function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("base64url");
}

/** The text of an object, or one that no other sender has. A function, as of Clerk, has no text. */
function textOf(auth: object): string {
  try {
    return typeof auth === "function" ? randomUUID() : JSON.stringify(auth);
  } catch {
    return randomUUID();
  }
}
