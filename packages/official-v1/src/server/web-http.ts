/**
 * Serves modern requests that official HTTP transports get. All other requests, and all requests of
 * a session, remain with the official transport.
 *
 * @packageDocumentation
 */

import { firstModern } from "@tenon/protocol";
import type { AuthInfo } from "mcp-sdk-1/server/auth/types.js";
import { WebStandardStreamableHTTPServerTransport } from "mcp-sdk-1/server/webStandardStreamableHttp.js";

import { ownerOf } from "../shared/engine.ts";
import { extendOnce, replace } from "../shared/internals.ts";
import { loadModernHttp, type ServerInternals } from "./engine.ts";

/** The parts of the official transport that are private in its declarations. */
export interface WebTransport {
  readonly sessionId: string | undefined;
  readonly _closed: boolean;
  /** Checks the headers `Host` and `Origin`. */
  validateRequestHeaders(request: { readonly headers: Pick<Headers, "get"> }): Response | undefined;
  handleRequest(request: Request, options?: WebOptions): Promise<Response>;
}

interface WebOptions {
  readonly authInfo?: AuthInfo | undefined;
  readonly parsedBody?: unknown;
}

/** The server for a request, if the request is modern and the official transport accepts it. */
export function modernOwner(
  transport: object,
  web: WebTransport,
  headers: Pick<Headers, "get">,
): ServerInternals | undefined {
  const version = headers.get("mcp-protocol-version");
  const isOurs = version !== null && version >= firstModern && web.sessionId === undefined && !web._closed;
  const owner = isOurs ? ownerOf(transport) : undefined;
  return owner !== undefined && web.validateRequestHeaders({ headers }) === undefined
    ? (owner as ServerInternals)
    : undefined;
}

extendOnce(WebStandardStreamableHTTPServerTransport.prototype, "web-http", () => {
  const prototype = WebStandardStreamableHTTPServerTransport.prototype as unknown as WebTransport;
  const { handleRequest } = prototype;
  replace(prototype, {
    async handleRequest(this: WebTransport, request: Request, options: WebOptions = {}): Promise<Response> {
      const owner = modernOwner(this, this, request.headers);
      if (owner === undefined) {
        return handleRequest.call(this, request, options);
      }
      const { serveWeb } = await loadModernHttp();
      return serveWeb(owner, request, options.authInfo, options.parsedBody);
    },
  });
});
