import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

import { Client, Server } from "@tenon/mcp";
import { bothEras } from "@tenon/test-support";
import { StreamableClientTransport } from "@tenon/transports-streamable-http/client";
import { createStreamableHandler } from "@tenon/transports-streamable-http/server";
import { expect, onTestFinished, test } from "vitest";

test.each(bothEras.flatMap((revision) => [true, false].map((known) => [revision, known] as const)))(
  "handlers can iterate over the headers of a request, without the credentials of a known sender (%s, authenticated: %s)",
  async (revision, known) => {
    const server = new Server({ name: "server", version: "1.0.0" });
    server.addTool({ name: "headers" }, (_, { http }) => JSON.stringify([...(http?.headers ?? [])]));
    const handler = createStreamableHandler({
      getServer: () => server,
      ...(known ? { authenticate: () => ({ principal: "ann" }) } : {}),
    });
    const listener = createServer((request, response) => void handler.node(request, response));
    await new Promise<void>((resolve) => {
      listener.listen(0, "127.0.0.1", resolve);
    });
    const { port } = listener.address() as AddressInfo;
    onTestFinished(async () => {
      await handler.close({ drainMs: 0 });
      listener.closeAllConnections();
      listener.close();
    });
    const over = {
      fetch: (input: string | URL, init?: RequestInit) => handler.fetch(new Request(input, init)),
    };
    for (const options of [{}, over]) {
      const client = new Client({ name: "client", version: "1.0.0" }, { revisions: [revision] });
      const session = await client.connect(
        new StreamableClientTransport(`http://127.0.0.1:${port}/mcp`, {
          ...options,
          eras: false,
          headers: { "X-Tenant": "acme", Authorization: "Bearer secret" },
        }),
      );
      const { content } = await session.callTool({ name: "headers" });
      const [block] = content;
      const headers = Object.fromEntries(
        JSON.parse(block?.type === "text" ? block.text : "[]") as [string, string][],
      );
      expect(headers).toMatchObject({ "x-tenant": "acme", "content-type": "application/json" });
      expect(headers["authorization"]).toBe(known ? undefined : "Bearer secret");
      await session.close();
    }
  },
);
