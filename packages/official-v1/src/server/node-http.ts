/**
 * The same as `web-http.ts` for `node:http`, without the conversion of requests and responses.
 *
 * @packageDocumentation
 */

import type { IncomingMessage, ServerResponse } from "node:http";

import type { AuthInfo } from "mcp-sdk-1/server/auth/types.js";
import { StreamableHTTPServerTransport } from "mcp-sdk-1/server/streamableHttp.js";

import { extendOnce, replace } from "../shared/internals.ts";
import { loadModernHttp } from "./engine.ts";
import { modernOwner, type WebTransport } from "./web-http.ts";

interface NodeTransport {
  readonly _webStandardTransport: WebTransport;
  handleRequest(request: NodeRequest, response: ServerResponse, parsedBody?: unknown): Promise<void>;
}

type NodeRequest = IncomingMessage & { readonly auth?: AuthInfo | undefined };

extendOnce(StreamableHTTPServerTransport.prototype, "node-http", () => {
  const prototype = StreamableHTTPServerTransport.prototype as unknown as NodeTransport;
  const { handleRequest } = prototype;
  replace(prototype, {
    async handleRequest(
      this: NodeTransport,
      request: NodeRequest,
      response: ServerResponse,
      parsedBody?: unknown,
    ): Promise<void> {
      const headers = {
        get: (name: string): string | null => {
          const value = request.headers[name];
          return (Array.isArray(value) ? value[0] : value) ?? null;
        },
      };
      const owner = modernOwner(this, this._webStandardTransport, headers);
      if (owner === undefined) {
        await handleRequest.call(this, request, response, parsedBody);
        return;
      }
      const { serveNode } = await loadModernHttp();
      await serveNode(owner, request, response, parsedBody);
    },
  });
});
