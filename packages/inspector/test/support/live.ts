import { Server } from "@tenon/mcp";
import type { bothEras } from "@tenon/test-support";
import { createInMemoryTransports } from "@tenon/transports-memory";

import { logIn, type FakeBrowser, type SeenState } from "./browser.ts";

/** Opens an inspector for a server in memory, and waits until it is connected. */
export async function live(
  server: Server,
  revision: (typeof bothEras)[number],
  limits: object = {},
): Promise<FakeBrowser> {
  const [here, there] = createInMemoryTransports();
  await server.connect(there);
  const browser = await logIn({
    source: { kind: "live", label: "memory", transport: here, client: { revisions: [revision] } },
    limits,
  });
  await browser.state(({ source }) => source.phase === "open");
  return browser;
}

/** Waits until a call has ended. */
export const named = (browser: FakeBrowser, call: string): Promise<SeenState> =>
  browser.state(({ calls }) => calls.some((one) => one.call === call && one.phase !== "running"));

/** A server with a tool that asks the person for a number. */
export const orderServer = (): Server => {
  const server = new Server({ name: "asking", version: "1.0.0" });
  server.addTool({ name: "order" }, async (_, ctx) => {
    const { action, content } = await ctx.elicit({
      message: "How many?",
      requestedSchema: { type: "object", properties: { count: { type: "integer" } }, required: ["count"] },
    });
    return `${action} ${String(content?.count)}`;
  });
  return server;
};
