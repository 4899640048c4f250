import { createStatelessHandler, type StatelessHandler } from "@tenon/sdk/http";

import type { ListedPage } from "../llms.ts";
import { docsServer } from "./docs-server.ts";

interface Env {
  /** The files of the site. */
  readonly ASSETS: { fetch(request: Request | URL): Promise<Response> };
  /** The host of the site, as clients send it: `tenon.dev`. */
  readonly HOST: string;
}

let handler: Promise<StatelessHandler> | undefined;

async function createHandler({ ASSETS: assets, HOST: host }: Env): Promise<StatelessHandler> {
  const response = await assets.fetch(new URL(`https://${host}/pages.json`));
  if (!response.ok) {
    throw new Error(`The site must have pages.json; got HTTP ${response.status}.`);
  }
  const server = docsServer((await response.json()) as readonly ListedPage[]);
  return createStatelessHandler({ getServer: () => server, allowedHosts: [host], allowedOrigins: "any" });
}

// oxlint-disable-next-line import/no-default-export -- this is how a Worker names its handlers
export default {
  /** The files of the site, and the MCP server of its documentation at `/mcp`. */
  async fetch(request: Request, env: Env): Promise<Response> {
    if (new URL(request.url).pathname !== "/mcp") {
      return env.ASSETS.fetch(request);
    }
    handler ??= createHandler(env).catch((error: unknown) => {
      // The next request tries again.
      handler = undefined;
      throw error;
    });
    return (await handler).fetch(request);
  },
};
