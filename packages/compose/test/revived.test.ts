import { compose } from "@tenon/compose";
import { Manager, type ServerSpec } from "@tenon/host";
import type { Transport } from "@tenon/jsonrpc2";
import { Client, Server, type ServerSession } from "@tenon/mcp";
import { bothEras, deferred } from "@tenon/test-support";
import { createInMemoryTransports } from "@tenon/transports-memory";
import { StreamableClientTransport } from "@tenon/transports-streamable-http/client";
import { expect, onTestFinished, test } from "vitest";

import { remote } from "./remote.ts";

const custom = (connect: Transport["connect"]): ServerSpec => ({
  type: "custom",
  transport: () => ({ connect }),
});

/** A client of a composition of a manager. */
async function clientOf(
  manager: Manager,
  revision?: (typeof bothEras)[number],
): Promise<{ names(): Promise<readonly string[]>; until(name: string): Promise<void> }> {
  const composed = compose(manager, { onError: () => {} });
  const [here, there] = createInMemoryTransports();
  await composed.connect(there);
  let change = deferred();
  const client = new Client(
    { name: "test", version: "1.0.0" },
    {
      ...(revision === undefined ? {} : { revisions: [revision] }),
      cache: false,
      onToolsChanged: () => change.resolve(),
    },
  );
  const session = await client.connect(here);
  onTestFinished(async () => {
    await session.close({ drainMs: 0 });
    await composed.close({ drainMs: 0 });
  });
  const names = async (): Promise<readonly string[]> =>
    (await session.listTools()).tools.map((tool) => tool.name);
  return {
    names,
    async until(name) {
      while (!(await names()).includes(name)) {
        await change.promise;
        change = deferred();
      }
    },
  };
}

test.each(bothEras)(
  "a server of a manager that was down when the gateway started is offered when it runs (%s)",
  async (revision) => {
    const again = (): Server => {
      const server = new Server({ name: "far", version: "1.0.0" }, { revisions: [revision] });
      server.addTool({ name: "run" }, () => "done");
      return server;
    };
    const near = new Server({ name: "near", version: "1.0.0" });
    near.addTool({ name: "walk" }, () => "done");
    const far = await remote(again());
    const manager = new Manager({
      servers: {
        far: { type: "custom", transport: () => new StreamableClientTransport(far.url) },
        near: custom(async (options) => {
          const [here, there] = createInMemoryTransports();
          await near.connect(there);
          return here.connect(options);
        }),
      },
    });
    onTestFinished(() => manager.close());
    await far.kill();
    expect([...(await manager.connectAll()).failed.keys()]).toEqual(["far"]);
    const client = await clientOf(manager, revision);
    expect(await client.names()).toEqual(["mcp__near__walk"]);
    await far.start(again());
    await client.until("mcp__far__run");
    expect(await client.names()).toContain("mcp__near__walk");
  },
);

test("a program of a manager that ended too often is offered again when it runs", async () => {
  const far = new Server({ name: "far", version: "1.0.0" }, { onError: () => {} });
  far.addTool({ name: "run" }, () => "done");
  let isBroken = false;
  let behind: ServerSession | undefined;
  const manager = new Manager({
    servers: {
      far: custom(async (options) => {
        if (isBroken) {
          throw new Error("The program ends at once.");
        }
        const [here, there] = createInMemoryTransports();
        behind = await far.connect(there);
        return here.connect(options);
      }),
    },
    reconnect: { maxRetries: 1, initialDelayMs: 0 },
  });
  onTestFinished(() => manager.close());
  await manager.connectAll();
  const client = await clientOf(manager);
  expect(await client.names()).toEqual(["mcp__far__run"]);
  const failed = new Promise<void>((resolve) => {
    manager.on("mcp_server_removed", () => resolve());
  });
  isBroken = true;
  await behind?.close({ drainMs: 0 });
  await failed;
  expect(await client.names()).toEqual([]);
  isBroken = false;
  await client.until("mcp__far__run");
});
