import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

import { createScriptedAuthorization, type ScriptedOptions } from "@tenon/auth/testing";
import { systemClock } from "@tenon/base";
import { createNodeListener } from "@tenon/node";
import { createStreamableHandler } from "@tenon/transports-streamable-http/server";
import { onTestFinished } from "vitest";

import { server } from "./fixtures/notes.mjs";

/**
 * An MCP server with its authorization server, which agrees to every login.
 *
 * @param before - What the response to a request waits for.
 */
export async function protectedServer(
  options: Partial<ScriptedOptions> = {},
  onRequest: (method: string) => void = () => {},
  before: (path: string) => Promise<void> | undefined = () => undefined,
): Promise<string> {
  const http = createServer().listen(0, "127.0.0.1");
  await once(http, "listening");
  const origin = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
  const scripted = createScriptedAuthorization({
    clock: systemClock,
    resourceMetadata: { scopes_supported: ["read"] },
    ...options,
    server: `${origin}/mcp`,
    issuer: origin,
  });
  const document = `${origin}/.well-known/oauth-protected-resource/mcp`;
  const handler = createStreamableHandler({
    getServer: () => server,
    authenticate({ headers }) {
      const [, token = ""] = /^Bearer (.+)$/.exec(headers.get("authorization") ?? "") ?? [];
      const access = scripted.tokens.access(token);
      return access === undefined
        ? new Response("", {
            status: 401,
            headers: { "www-authenticate": `Bearer resource_metadata="${document}"` },
          })
        : { principal: "ada", scopes: access.scopes, metadataUrl: document };
    },
    authorize({ method }, { auth }) {
      const scopes = auth?.scopes ?? [];
      const isAllowed = method !== "tools/call" || scopes.includes("notes:write");
      return isAllowed ? undefined : { scopes: ["notes:write"] };
    },
  });
  const mcp = createNodeListener(handler);
  http.on("request", (request, response) => {
    if (request.url === "/mcp") {
      onRequest(request.method ?? "");
      void Promise.resolve(before("/mcp")).then(() => mcp(request, response));
      return;
    }
    void text(request).then(async (body) => {
      const { method = "GET", headers, url = "/" } = request;
      await before(url);
      const answer = await scripted.fetch(new URL(url, origin), {
        method,
        headers: headers as Record<string, string>,
        ...(body === "" ? {} : { body }),
      });
      response.writeHead(answer.status, Object.fromEntries(answer.headers));
      response.end(await answer.text());
    });
  });
  onTestFinished(() => {
    http.closeAllConnections();
    http.close();
  });
  return `${origin}/mcp`;
}
