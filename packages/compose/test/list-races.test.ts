import { compose } from "@tenon/compose";
import { Manager } from "@tenon/host";
import { Client, Server } from "@tenon/mcp";
import { bothEras, deferred, legacyRevision } from "@tenon/test-support";
import { createInMemoryTransports } from "@tenon/transports-memory";
import { expect, onTestFinished, test } from "vitest";

test.each(bothEras.flatMap((revision) => [false, true].map((managed) => [revision, managed] as const)))(
  "a list that was requested before a change of a server of %s is not the response to a later request (managed: %s)",
  async (revision, managed) => {
    const server = new Server({ name: "far", version: "1.0.0" }, { revisions: [revision] });
    server.addTool({ name: "old" }, () => "done");
    const listening = deferred();
    let held: { readonly read: () => void; readonly sent: Promise<void> } | undefined;
    server.addReceivingMiddleware((next) => async (request) => {
      if (request.method === "subscriptions/listen") {
        listening.resolve();
      }
      const result = await next(request);
      if (request.method === "tools/list" && held !== undefined) {
        const { read, sent } = held;
        held = undefined;
        read();
        await sent;
      }
      return result;
    });
    const connect = async (): Promise<ReturnType<typeof createInMemoryTransports>[0]> => {
      const [here, there] = createInMemoryTransports();
      await server.connect(there);
      return here;
    };
    const manager = new Manager({
      servers: {
        far: {
          type: "custom",
          transport: () => ({ connect: async (options) => (await connect()).connect(options) }),
        },
      },
    });
    await (managed ? manager.connectAll() : undefined);
    const composed = compose(managed ? manager : { far: connect }, { limits: { changeIntervalMs: 0 } });
    let changed = deferred();
    const [here, there] = createInMemoryTransports();
    await composed.connect(there);
    const client = new Client(
      { name: "bob", version: "1.0.0" },
      { cache: false, onToolsChanged: () => changed.resolve() },
    );
    const session = await client.connect(here);
    onTestFinished(async () => {
      await session.close({ drainMs: 0 });
      await composed.close({ drainMs: 0 });
      await manager.close();
      await server.close({ drainMs: 0 });
    });
    const names = async (): Promise<readonly string[]> =>
      (await session.listTools()).tools.map(({ name }) => name);
    expect(await names()).toEqual(["mcp__far__old"]);
    await (revision === legacyRevision ? undefined : listening.promise);
    server.addTool({ name: "second" }, () => "done");
    await changed.promise;
    const [read, sent] = [deferred(), deferred()];
    held = { read: read.resolve, sent: sent.promise };
    const before = names();
    await read.promise;
    changed = deferred();
    server.addTool({ name: "third" }, () => "done");
    await changed.promise;
    const after = names();
    sent.resolve();
    expect(await before).toHaveLength(2);
    expect(await after).toHaveLength(3);
    expect(await names()).toHaveLength(3);
  },
);

test("a list that comes after the timeout is announced once, and not again while it is the same", async () => {
  const gates = [deferred(), deferred()];
  const slow = new Server({ name: "slow", version: "1.0.0" });
  slow.addTool({ name: "one" }, () => "done");
  let lists = 0;
  slow.addReceivingMiddleware((next) => async (request) => {
    if (request.method === "tools/list") {
      await gates[lists++]?.promise;
    }
    return next(request);
  });
  const server = compose({ slow }, { limits: { listTimeoutMs: 1, changeIntervalMs: 0 } });
  const [here, there] = createInMemoryTransports();
  await server.connect(there);
  const told: string[] = [];
  const client = new Client(
    { name: "test", version: "1.0.0" },
    {
      cache: false,
      onToolsChanged: () => void told.push("tools"),
      onPromptsChanged: () => void told.push("prompts"),
    },
  );
  const session = await client.connect(here);
  onTestFinished(() => session.close({ drainMs: 0 }));
  const names = async (): Promise<readonly string[]> =>
    (await session.listTools()).tools.map(({ name }) => name);
  expect(await names()).toEqual([]);
  gates[0]?.resolve();
  await expect.poll(() => told).toEqual(["tools"]);
  expect(await names()).toEqual(["mcp__slow__one"]);
  gates[1]?.resolve();
  expect(await names()).toEqual(["mcp__slow__one"]);
  slow.addPrompt({ name: "marker" }, () => "");
  await expect.poll(() => told).toContain("prompts");
  expect(told).toEqual(["tools", "prompts"]);
});
