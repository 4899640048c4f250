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
import { replace } from "../shared/internals.ts";
import { loadModern, type ServerInternals } from "./engine.ts";
import type * as modernModule from "./modern-http.lazy.ts";

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

let modern: Promise<typeof modernModule> | undefined;

/** Loads the code for modern requests. */
export function loadModernHttp(): Promise<typeof modernModule> {
  modern ??= Promise.all([import("./modern-http.lazy.ts"), loadModern()]).then(
    ([module]) => module,
    (error: unknown) => {
      // The next request tries again.
      modern = undefined;
      throw error;
    },
  );
  return modern;
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

const done = Symbol.for("@tenon/official-v1/web-http");
const prototype = WebStandardStreamableHTTPServerTransport.prototype as unknown as WebTransport & {
  readonly [done]?: boolean;
};

if (prototype[done] !== true) {
  const { handleRequest } = prototype;
  replace(prototype, {
    [done]: true,
    async handleRequest(this: WebTransport, request: Request, options: WebOptions = {}): Promise<Response> {
      const owner = modernOwner(this, this, request.headers);
      if (owner === undefined) {
        return handleRequest.call(this, request, options);
      }
      const { serveWeb } = await loadModernHttp();
      return serveWeb(owner, request, options.authInfo, options.parsedBody);
    },
  });
}
