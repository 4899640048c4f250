import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

import { Client, Server } from "@tenon/sdk";
import {
  createSSEHandler,
  createStreamableHandler,
  SSEClientTransport,
  StreamableClientTransport,
} from "@tenon/sdk/http";
import { expect, test } from "vitest";

test("R-384: clients of every revision are served by hosting the two old endpoints next to the new one", async () => {
  const server = new Server({ name: "both", version: "1.0.0" });
  server.addTool({ name: "hello" }, () => "world");
  const handler = createStreamableHandler({ getServer: () => server });
  const old = createSSEHandler({ getServer: () => server, endpointFor: (id) => `/messages?sessionId=${id}` });
  const http = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? "/", "http://localhost");
    void (pathname === "/mcp" ? handler : old).node(request, response);
  });
  await new Promise<void>((resolve) => {
    http.listen(0, "127.0.0.1", resolve);
  });
  const { port } = http.address() as AddressInfo;
  const base = `http://127.0.0.1:${port}`;
  const revisions = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"] as const;
  for (const revision of revisions) {
    const client = new Client({ name: "test", version: "1.0.0" }, { revisions: [revision] });
    const transport =
      revision === "2024-11-05"
        ? new SSEClientTransport(`${base}/sse`)
        : new StreamableClientTransport(`${base}/mcp`, { eras: false });
    const session = await client.connect(transport);
    expect(session.revision).toBe(revision);
    expect((await session.callTool({ name: "hello" })).content).toEqual([{ type: "text", text: "world" }]);
    await session.close();
  }
  await Promise.all([handler.close(), old.close()]);
  http.closeAllConnections();
  http.close();
});
