import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

import { systemClock } from "@tenon/base";

import {
  createScriptedAuthorization,
  type ScriptedAuthorization,
  type ScriptedOptions,
} from "../src/testing.ts";

/** A scripted authorization server and its MCP server that can be reached over HTTP. */
export type Served = ScriptedAuthorization & AsyncDisposable;

/**
 * Serves a scripted authorization on two free ports of this machine. @param onAccepted - Called for
 * every authorized request of the MCP server.
 */
export async function serve(
  options: Partial<ScriptedOptions> = {},
  onAccepted: (request: IncomingMessage) => void = () => {},
): Promise<Served> {
  let scripted: ScriptedAuthorization | undefined;
  const listener = (request: IncomingMessage, response: ServerResponse): void => {
    void (async () => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) {
        chunks.push(chunk as Buffer);
      }
      const { method = "GET", headers, url = "/" } = request;
      const answer = await scripted?.fetch(new URL(url, `http://${headers.host}`), {
        method,
        headers: headers as Record<string, string>,
        ...(chunks.length === 0 ? {} : { body: Buffer.concat(chunks).toString() }),
      });
      if (answer?.ok === true && url === "/mcp") {
        onAccepted(request);
      }
      response.writeHead(answer?.status ?? 500, Object.fromEntries(answer?.headers ?? []));
      response.end(await answer?.text());
    })();
  };
  const servers = [createServer(listener), createServer(listener)];
  const [server, issuer] = await Promise.all(
    servers.map(async (http) => {
      http.listen(0, "127.0.0.1");
      await once(http, "listening");
      return `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
    }),
  );
  scripted = createScriptedAuthorization({
    clock: systemClock,
    ...options,
    server: `${server}/mcp`,
    issuer: issuer ?? "",
  });
  return Object.assign(scripted, {
    [Symbol.asyncDispose]: () => {
      for (const http of servers) {
        http.closeAllConnections();
        http.close();
      }
      return Promise.resolve();
    },
  });
}
