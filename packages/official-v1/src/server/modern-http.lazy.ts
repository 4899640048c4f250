/**
 * Modern requests over HTTP: Tenon's handler in front of the handlers of official servers. Loaded
 * with the first of them.
 *
 * @packageDocumentation
 */

import { AsyncLocalStorage } from "node:async_hooks";
import { createHash } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";

import type { AuthInfo } from "@tenon/protocol";
import { createStreamableHandler, type StreamableHandler } from "@tenon/transports-streamable-http/server";
import type { AuthInfo as OfficialAuthInfo } from "mcp-sdk-1/server/auth/types.js";

import type { ServerInternals } from "./engine.ts";
import { tenonServerOf } from "./modern.lazy.ts";

interface Serving {
  readonly official: ServerInternals;
  /** The method that the header names. */
  readonly method: string | undefined;
}

const serving = new AsyncLocalStorage<Serving>();
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
  const method = request.headers["mcp-method"];
  return serving.run({ official, method: typeof method === "string" ? method : undefined }, () =>
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
  const served = parsedBody === undefined ? request : withBody(request, parsedBody);
  const method = request.headers.get("mcp-method") ?? undefined;
  return serving.run({ official, method }, () => handlerOf().serve(served, { auth: senderOf(auth) }));
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
 * if `extra.sub` does not, the token tells them apart.
 */
export function senderOf(auth: OfficialAuthInfo | undefined): AuthInfo | undefined {
  if (auth === undefined) {
    return undefined;
  }
  const { clientId, scopes, expiresAt, extra, token } = auth;
  const user =
    typeof extra?.["sub"] === "string"
      ? ["sub", extra["sub"]]
      : ["token", createHash("sha256").update(token).digest("base64url")];
  return {
    principal: JSON.stringify([clientId, ...user]),
    clientId,
    scopes,
    ...(expiresAt === undefined ? {} : { expiresAt: expiresAt * 1000 }),
    claims: { official: auth },
  };
}
