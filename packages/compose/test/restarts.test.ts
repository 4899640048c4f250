import { compose } from "@tenon/compose";
import { Client, Server, type ClientSession } from "@tenon/mcp";
import { bothEras, deferred, type Deferred } from "@tenon/test-support";
import { createInMemoryTransports } from "@tenon/transports-memory";
import { StreamableClientTransport } from "@tenon/transports-streamable-http/client";
import { expect, onTestFinished, test } from "vitest";

import { remote } from "./remote.ts";

type Era = (typeof bothEras)[number];

function far(revision: Era, ...tools: readonly string[]): Server {
  const server = new Server({ name: "far", version: "1.0.0" }, { revisions: [revision], onError: () => {} });
  tools.forEach((name) => server.addTool({ name }, () => "done"));
  return server;
}

/** Reads the list until it is as expected. Between two reads it waits for a notification. */
async function listed(
  session: ClientSession,
  changed: Deferred<void>[],
  names: readonly string[],
): Promise<void> {
  for (;;) {
    const next = deferred();
    changed.splice(0, 1, next);
    const { tools } = await session.listTools();
    if (JSON.stringify(tools.map(({ name }) => name)) === JSON.stringify(names)) {
      return;
    }
    await next.promise;
  }
}

test.each(
  bothEras.flatMap((back) =>
    bothEras.flatMap((front) => [true, false].map((calls) => [back, front, calls] as const)),
  ),
)(
  "a remote server of %s that dies is hidden from a client of %s, and its new list announced (calls: %s)",
  async (back, front, calls) => {
    const { url, kill, start } = await remote(far(back, "one"));
    const own = new Server({ name: "own", version: "1.0.0" });
    own.addTool({ name: "fine" }, () => "fine");
    const reports: string[] = [];
    const composed = compose(
      { far: () => new StreamableClientTransport(url, { reconnect: { initialDelayMs: 20 } }), own },
      {
        onError: (error, from) => reports.push(`${from}: ${String(error)}`),
        limits: { changeIntervalMs: 0 },
      },
    );
    const [here, there] = createInMemoryTransports();
    await composed.connect(there);
    const changed: Deferred<void>[] = [];
    const client = new Client(
      { name: "bob", version: "1.0.0" },
      { revisions: [front], cache: false, onToolsChanged: () => changed[0]?.resolve() },
    );
    const session = await client.connect(here);
    onTestFinished(async () => {
      await session.close({ drainMs: 0 });
      await composed.close({ drainMs: 0 });
    });
    await listed(session, changed, ["mcp__far__one", "mcp__own__fine"]);
    await kill();
    if (calls) {
      await expect(session.callTool({ name: "mcp__far__one" })).rejects.toMatchObject({ code: -32_603 });
    }
    await listed(session, changed, ["mcp__own__fine"]);
    expect(reports.join("\n")).toContain("far: ");
    await start(far(back, "one", "two"));
    await listed(session, changed, ["mcp__far__one", "mcp__far__two", "mcp__own__fine"]);
  },
);
