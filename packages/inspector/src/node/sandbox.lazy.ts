import { createServer } from "node:http";

import { sandboxProxy } from "@tenon/apps/host";

import { listen, stop } from "./listening.ts";

/** A server of the sandbox proxy alone. Its port makes it another origin than the page. */
export interface Sandbox {
  readonly port: number;
  close(): Promise<void>;
}

/**
 * Starts a sandbox for views on a free port of the same address.
 *
 * @param hostOrigin - The origin of the page. No other page can use the sandbox.
 */
export async function startSandbox(hostOrigin: string, host: string): Promise<Sandbox> {
  const { html, headers } = sandboxProxy({ hostOrigin });
  const http = createServer({ headersTimeout: 20_000 }, (request, response) => {
    const isPage = (request.method === "GET" || request.method === "HEAD") && request.url === "/";
    response.writeHead(isPage ? 200 : 404, { ...headers, "cache-control": "no-store" });
    response.end(isPage ? html : "");
  });
  return { port: await listen(http, 0, host), close: () => stop(http) };
}
