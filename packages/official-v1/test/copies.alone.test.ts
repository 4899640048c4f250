import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

import { textOf } from "@tenon/mcp";
import { Client } from "@tenon/mcp/client";
import { modernRevision } from "@tenon/test-support";
import { StreamableClientTransport } from "@tenon/transports-streamable-http/client";
import { expect, test, vi } from "vitest";
import { z } from "zod";

// A process loads two copies of this package if two of its packages depend on different versions.
// Both copies have the same official classes.
const { McpServer } = await import("../src/entry/server/mcp.ts");
const { settings } = await import("../src/shared/settings.ts");
vi.resetModules();
const { StreamableHTTPServerTransport } = await import("../src/entry/server/streamableHttp.ts");
const copy = await import("../src/entry/server/mcp.ts");

test("a server of one copy answers modern requests, and asks, through a transport of another copy", async () => {
  const http = createServer((request, response) => {
    const server = new McpServer({ name: "rooms", version: "1.0.0" });
    server.registerTool("book", { inputSchema: { room: z.string() } }, async ({ room }) => {
      const { content } = await server.server.elicitInput({
        message: "Which day?",
        requestedSchema: { type: "object", properties: { day: { type: "string" } } },
      });
      return { content: [{ type: "text", text: `${room}: ${String(content?.["day"])}` }] };
    });
    const transport = new StreamableHTTPServerTransport();
    response.on("close", () => void server.close());
    void server.connect(transport).then(() => transport.handleRequest(request, response));
  });
  await new Promise<void>((resolve) => {
    http.listen(0, "127.0.0.1", resolve);
  });
  try {
    await using client = new Client(
      { name: "modern", version: "1.0.0" },
      // The first request loads the code for it, which takes long on a busy machine.
      {
        limits: { probeTimeoutMs: 60_000 },
        elicitation: { form: () => ({ action: "accept", content: { day: "Monday" } }) },
      },
    );
    const url = new URL(`http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`);
    const session = await client.connect(new StreamableClientTransport(url));
    expect(session.revision).toBe(modernRevision);
    const result = await session.callTool({ name: "book", arguments: { room: "R1" } });
    expect(textOf(result)).toBe("R1: Monday");
  } finally {
    http.closeAllConnections();
    http.close();
  }
});

test("the copies have the same official classes and the same settings", async () => {
  expect(copy.McpServer).toBe(McpServer);
  const { configure } = await import("../src/shared/configure.ts");
  const { maxParked } = settings;
  configure({ maxParked: 7 });
  expect(settings.maxParked).toBe(7);
  configure({ maxParked });
});
