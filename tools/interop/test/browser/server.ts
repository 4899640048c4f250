import { apps } from "@tenon/apps/server";
import type { Transport } from "@tenon/sdk/client";
import { createInMemoryTransports } from "@tenon/sdk/memory";
import { Server } from "@tenon/sdk/server";

/** The view of the page, and the origin of its sandbox proxy. */
export const uri = "ui://weather/chart";
export const proxyUrl: string = new URLSearchParams(location.search).get("proxy") ?? "";

/** What the views of this page have logged. */
export const logged: unknown[] = [];

/** A server in this page, and a transport to it. */
export async function serve(): Promise<Transport> {
  const server = new Server({ name: "weather", version: "1.0.0" });
  server.use(apps({ views: [{ uri, html: async () => (await fetch("/view.html")).text() }] }));
  server.addTool({ name: "forecast", ui: uri }, () => "Sunny");
  server.addTool({ name: "refresh", ui: { visibility: ["app"] } }, () => "Rain");
  const [here, there] = createInMemoryTransports();
  await server.connect(there);
  return here;
}
