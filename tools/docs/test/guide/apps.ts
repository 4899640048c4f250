import { createServer, type Server as HttpServer } from "node:http";

import {
  appHost,
  isVisibleTo,
  modelTools,
  openBridge,
  parsePartialArguments,
  sandboxProxy,
  type ViewBridge,
} from "@tenon/apps/host";
import { apps } from "@tenon/apps/server";
import type { Transport } from "@tenon/jsonrpc2";
import { Client, Server, type ClientSession } from "@tenon/mcp";
import { Manager, type ManagerOptions } from "@tenon/sdk/host";

/** A server with a tool for the model and one for its view. */
export function createPoll(): Server {
  const server = new Server({ name: "poll", version: "1.0.0" });
  server.use(apps({ views: [{ uri: "ui://poll", html: "<!doctype html>" }] }));
  server.addTool({ name: "lunch_poll", ui: "ui://poll" }, () => "Pasta: 0");
  const input = { type: "object", properties: { dish: { type: "string" } } } as const;
  server.addTool(
    { name: "vote", ui: { visibility: ["app"] }, input },
    ({ dish }) => `Voted for ${String(dish)}`,
  );
  return server;
}

/** A client that shows views. */
export function createAppHost(): Client {
  // #region client
  const client = new Client({ name: "chat", version: "1.0.0" });
  client.use(appHost());
  // #endregion client
  return client;
}

/** The tools of a server for a model. */
export async function toolsForModel(session: ClientSession): Promise<readonly { readonly name: string }[]> {
  // #region tools
  const { tools } = await session.listTools();
  const forTheModel = modelTools(tools); // without those that are for views only
  // #endregion tools
  return forTheModel;
}

/** The same with many servers. */
export async function useManager(
  servers: ManagerOptions["servers"],
): Promise<{ readonly names: readonly string[]; readonly session: ClientSession | undefined }> {
  // #region manager
  const manager = new Manager({ servers });
  manager.use(appHost()); // before it connects
  await manager.connectAll();
  const forTheModel = (await manager.tools()).filter(({ tool }) => isVisibleTo(tool, "model"));
  const session = manager.get("weather"); // for loadView and openBridge
  // #endregion manager
  return { names: forTheModel.map(({ name }) => name), session };
}

/** A server of sandbox proxies. */
export function serveProxy(): HttpServer {
  // #region proxy
  const { html, headers } = sandboxProxy({ hostOrigin: "https://chat.example.com" });
  const proxies = createServer((_, response) => {
    response.writeHead(200, headers).end(html);
  });
  // #endregion proxy
  return proxies;
}

/** A host whose user agrees to everything. */
export async function openApproving(
  session: ClientSession,
  transport: Transport,
  askUser: (question: string) => Promise<boolean>,
): Promise<ViewBridge> {
  // #region callbacks
  const bridge = await openBridge(session, {
    transport,
    info: { name: "chat", version: "1.0.0" },
    approve: ({ method, params }) => askUser(`Allow ${method} with ${JSON.stringify(params)}?`),
    onOpenLink: async ({ href }) => (await askUser(`Open ${href}?`)) && openInBrowser(href),
    onAudit: ({ method, outcome }) => console.info(`view: ${method} ${outcome}`),
    limits: { maxMessages: 100 },
  });
  // #endregion callbacks
  return bridge;
}

/** Passes arguments on while the model writes them. */
export function streamInput(bridge: ViewBridge, textSoFar: string): void {
  // #region partial
  const args = parsePartialArguments(textSoFar); // '{"city": "Ber' becomes { city: "Ber" }
  if (args !== undefined) {
    bridge.sendPartialInput(args);
  }
  // #endregion partial
}

/** The links that were opened. */
export const openedLinks: string[] = [];

function openInBrowser(href: string): boolean {
  return openedLinks.push(href) > 0;
}
