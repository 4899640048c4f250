import { appHost, openBridge, type ViewBridge, type ViewBridgeOptions } from "@tenon/apps/host";
import { apps, type ViewDefinition } from "@tenon/apps/server";
import { connectView, type View, type ViewOptions } from "@tenon/apps/view";
import { Client, Server, type ClientSession } from "@tenon/mcp";
import type { Revision } from "@tenon/protocol";
import { modernRevision } from "@tenon/test-support";
import { createInMemoryTransports } from "@tenon/transports-memory";
import { onTestFinished } from "vitest";

export const viewType = "text/html;profile=mcp-app";

/** A view with metadata of all kinds. */
export const chart: ViewDefinition = {
  uri: "ui://weather/chart",
  html: "<!doctype html><title>Chart</title>",
  csp: { connectDomains: ["https://api.example.com"], frameDomains: ["https://*.maps.example.com"] },
  permissions: ["camera", "clipboardWrite"],
  prefersBorder: true,
};

/** A server with tools of each visibility, and a session with it. */
export async function openSession(
  revision: Revision = modernRevision,
): Promise<{ readonly server: Server; readonly client: Client; readonly session: ClientSession }> {
  const server = new Server({ name: "weather", version: "1.0.0" }, { onError: () => undefined });
  server.use(apps({ views: [chart] }));
  const input = { type: "object", properties: { city: { type: "string" } }, required: ["city"] } as const;
  server.addTool({ name: "forecast", input, ui: chart.uri }, ({ city }) => `Sunny in ${city}`);
  server.addTool({ name: "delete", ui: { visibility: ["model"] } }, () => "deleted");
  server.addTool({ name: "refresh", ui: { view: chart.uri, visibility: ["app"] } }, () => "fresh");
  server.addResource({ uri: "weather://stations", name: "stations" }, () => "Berlin");
  const client = new Client({ name: "chat", version: "1.0.0" }, { revisions: [revision] });
  client.use(appHost());
  const [here, there] = createInMemoryTransports();
  await server.connect(there);
  const session = await client.connect(here);
  onTestFinished(async () => {
    await client.close();
    await server.close({ drainMs: 0 });
  });
  return { server, client, session };
}

/** Both ends of a bridge, and the errors that they reported. */
export interface Opened {
  readonly bridge: ViewBridge;
  readonly view: View;
  readonly errors: unknown[];
}

/** Opens a bridge and connects a view to it. */
export async function openPair(
  session: ClientSession,
  host: Partial<ViewBridgeOptions> = {},
  inside: Partial<ViewOptions> = {},
): Promise<Opened> {
  const errors: unknown[] = [];
  const onError = (error: unknown): void => void errors.push(error);
  const [left, right] = createInMemoryTransports();
  const bridge = await openBridge(session, {
    transport: left,
    info: { name: "chat", version: "1.0.0" },
    onError,
    ...host,
  });
  onTestFinished(() => bridge.close());
  const view = await connectView({
    transport: right,
    info: { name: "chart", version: "2.0.0" },
    onError,
    ...inside,
  });
  await bridge.ready;
  return { bridge, view, errors };
}
