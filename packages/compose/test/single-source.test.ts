import { connectedSource, proxyServer } from "@tenon/compose";
import { CallRelay } from "@tenon/host";
import { Client, Server } from "@tenon/mcp";
import { bothEras, deferred } from "@tenon/test-support";
import { createInMemoryTransports } from "@tenon/transports-memory";
import { StreamableClientTransport } from "@tenon/transports-streamable-http/client";
import { expect, onTestFinished, test } from "vitest";

import { remote } from "./remote.ts";

function far(revision: (typeof bothEras)[number], ...tools: readonly string[]): Server {
  const server = new Server({ name: "far", version: "1.0.0" }, { revisions: [revision], onError: () => {} });
  tools.forEach((name) => server.addTool({ name }, () => "done"));
  return server;
}

test.each(
  bothEras.flatMap((back) =>
    bothEras.flatMap((front) => [true, false].map((streams) => [back, front, streams] as const)),
  ),
)(
  "the list of a single server of %s that was down is announced to a client of %s when it is back (streams: %s)",
  async (back, front, streams) => {
    const { url, kill, start } = await remote(far(back, "one"), { streams });
    const relay = new CallRelay();
    const source = connectedSource({
      relay,
      connect: async ({ options, prepare }) => {
        const client = new Client({ name: "proxy", version: "1.0.0" }, options);
        prepare(client);
        return client.connect(new StreamableClientTransport(url, { reconnect: { initialDelayMs: 20 } }));
      },
    });
    await source.start();
    const proxy = proxyServer(source, { relay, onError: () => {} });
    const [here, there] = createInMemoryTransports();
    await proxy.connect(there);
    let changed = deferred();
    const client = new Client(
      { name: "bob", version: "1.0.0" },
      { revisions: [front], cache: false, onToolsChanged: () => changed.resolve() },
    );
    const session = await client.connect(here);
    onTestFinished(async () => {
      await session.close({ drainMs: 0 });
      await proxy.close({ drainMs: 0 });
      await source[Symbol.asyncDispose]();
      await relay.close();
    });
    expect((await session.listTools()).tools).toHaveLength(1);
    await kill();
    await expect(session.callTool({ name: "one" })).rejects.toMatchObject({ code: -32_603 });
    await changed.promise;
    changed = deferred();
    await expect(session.listTools()).rejects.toMatchObject({ code: -32_603 });
    await start(far(back, "one", "two"));
    for (let tools: readonly unknown[] = []; tools.length < 2;) {
      await changed.promise;
      changed = deferred();
      tools = await session.listTools().then(
        (result) => result.tools,
        () => [],
      );
    }
  },
);
