import { compose } from "@tenon/compose";
import { Manager, type ManagerOptions } from "@tenon/host";
import { Client, Server, textOf, type ClientSession, type ServerSession } from "@tenon/mcp";
import { bothEras, deferred, legacyRevision } from "@tenon/test-support";
import { createInMemoryTransports } from "@tenon/transports-memory";
import { StreamableClientTransport } from "@tenon/transports-streamable-http/client";
import { createStreamableHandler } from "@tenon/transports-streamable-http/server";
import { expect, onTestFinished, test } from "vitest";

/** A client of a composition of a manager of one server, and a way to end the server's sessions. */
async function connect(
  server: Server,
  policy: NonNullable<ManagerOptions["policy"]>,
): Promise<{ session: ClientSession; crash(): Promise<void> }> {
  let behind: ServerSession | undefined;
  const manager = new Manager({
    policy,
    servers: {
      a: {
        type: "custom",
        transport: () => ({
          async connect(options) {
            const [here, there] = createInMemoryTransports();
            behind = await server.connect(there);
            return here.connect(options);
          },
        }),
      },
    },
  });
  await manager.connectAll();
  const composed = compose(manager, { onError: () => {} });
  const [here, there] = createInMemoryTransports();
  await composed.connect(there);
  const session = await new Client({ name: "test", version: "1.0.0" }, { cache: false }).connect(here);
  onTestFinished(async () => {
    await session.close({ drainMs: 0 });
    await composed.close({ drainMs: 0 });
    await manager.close();
  });
  return { session, crash: async () => behind?.close({ drainMs: 0 }) };
}

const name = "mcp__a__run";

test("the manager cuts results of a composition to size", async () => {
  const server = new Server({ name: "a", version: "1.0.0" });
  server.addTool({ name: "run" }, () => "x".repeat(10_000));
  const { session } = await connect(server, { limits: { maxResultBytes: 1000 } });
  const result = await session.callTool({ name });
  expect(JSON.stringify(result.content).length).toBeLessThan(2000);
  expect(result._meta).toMatchObject({ "dev.tenon/truncated": { limit: 1000 } });
});

test.each(bothEras)(
  "the time limit of the manager ends the tool as well (server of %s)",
  async (revision) => {
    const aborted = deferred();
    const server = new Server({ name: "a", version: "1.0.0" }, { revisions: [revision], onError: () => {} });
    server.addTool({ name: "run" }, async (_, { signal }) => {
      signal.addEventListener("abort", () => aborted.resolve());
      await new Promise(() => {});
    });
    server.addTool({ name: "warm" }, () => "up");
    const { session } = await connect(server, { limits: { totalTimeoutMs: 500 } });
    await session.callTool({ name: "mcp__a__warm" });
    await expect(session.callTool({ name })).rejects.toMatchObject({
      code: -32_603,
      data: { reason: "TIMEOUT" },
    });
    await aborted.promise;
  },
);

test("the manager does not repeat a call whose later round was refused", async () => {
  const handler = createStreamableHandler({
    getServer() {
      const server = new Server({ name: "a", version: "1.0.0" });
      server.addTool({ name: "run" }, async (_, context) => {
        const requestedSchema = { type: "object", properties: {} } as const;
        return (await context.elicit({ message: "Sure?", requestedSchema })).action;
      });
      return server;
    },
  });
  let calls = 0;
  const transport = (): StreamableClientTransport =>
    new StreamableClientTransport("http://localhost/mcp", {
      eras: false,
      fetch: async (url, init) =>
        typeof init?.body === "string" && init.body.includes("tools/call") && ++calls > 1
          ? new Response("Forbidden", { status: 403 })
          : handler.fetch(new Request(url, init)),
    });
  const manager = new Manager({ servers: { a: { type: "custom", transport } } });
  await manager.connectAll();
  const composed = compose(manager, { onError: () => {} });
  const [here, there] = createInMemoryTransports();
  await composed.connect(there);
  const client = new Client(
    { name: "test", version: "1.0.0" },
    { revisions: [legacyRevision], elicitation: { form: () => ({ action: "decline" }) } },
  );
  const session = await client.connect(here);
  onTestFinished(async () => {
    await session.close({ drainMs: 0 });
    await composed.close({ drainMs: 0 });
    await manager.close();
    await handler.close({ drainMs: 0 });
  });
  await expect(session.callTool({ name })).rejects.toMatchObject({
    data: { reason: "call-lost", delivered: "maybe" },
  });
  expect(calls).toBe(2);
});

test.each(bothEras)(
  "clients are notified of the tools of a server that its manager gets later (%s)",
  async (revision) => {
    const [inside, behind] = createInMemoryTransports();
    const late = new Server({ name: "late", version: "1.0.0" });
    late.addTool({ name: "run" }, () => "done");
    await late.connect(behind);
    const manager = new Manager();
    const composed = compose({ fleet: manager });
    const [here, there] = createInMemoryTransports();
    await composed.connect(there);
    const changed = deferred();
    const client = new Client(
      { name: "test", version: "1.0.0" },
      { revisions: [revision], onToolsChanged: () => changed.resolve() },
    );
    const session = await client.connect(here);
    onTestFinished(async () => {
      await session.close({ drainMs: 0 });
      await composed.close({ drainMs: 0 });
      await manager.close();
    });
    expect((await session.listTools()).tools).toEqual([]);
    await manager.connect("late", { type: "custom", transport: () => inside });
    await changed.promise;
    await expect
      .poll(async () => (await session.listTools()).tools)
      .toMatchObject([{ name: "mcp__fleet-late__run" }]);
  },
);

test.each([true, false])(
  "the manager repeats a call whose result was lost if it may: idempotent %s",
  async (idempotentHint) => {
    let runs = 0;
    const server = new Server({ name: "a", version: "1.0.0" }, { onError: () => {} });
    server.addTool({ name: "run", annotations: { idempotentHint } }, async () => {
      if (++runs === 1) {
        void crash();
        await new Promise(() => {});
      }
      return "done";
    });
    const { session, crash } = await connect(server, { retry: "idempotent" });
    await session.listTools();
    const call = session.callTool({ name });
    if (idempotentHint) {
      expect((await call).content).toEqual([{ type: "text", text: "done" }]);
      expect(runs).toBe(2);
    } else {
      await expect(call).rejects.toMatchObject({ code: -32_603, data: { reason: "call-lost" } });
      expect(runs).toBe(1);
    }
  },
);

test("a server of a manager with the name of another source keeps its own tools", async () => {
  const echoing = (text: string): Server => {
    const server = new Server({ name: text, version: "1.0.0" });
    server.addTool({ name: "run" }, () => text);
    return server;
  };
  const [inside, behind] = createInMemoryTransports();
  await echoing("managed").connect(behind);
  const manager = new Manager({ servers: { a: { type: "custom", transport: () => inside } } });
  await manager.connectAll();
  const composed = compose({ "fleet-a": echoing("own"), fleet: manager });
  const [here, there] = createInMemoryTransports();
  await composed.connect(there);
  await using session = await new Client({ name: "test", version: "1.0.0" }).connect(here);
  const { tools } = await session.listTools();
  const texts = await Promise.all(
    tools.map(async (tool) => textOf(await session.callTool({ name: tool.name }))),
  );
  expect(texts.toSorted()).toEqual(["managed", "own"]);
  await composed.close();
  await manager.close();
});

test.each(bothEras)("several clients share a given transport (server of %s)", async (revision) => {
  const server = new Server({ name: "a", version: "1.0.0" }, { revisions: [revision] });
  server.addTool({ name: "run" }, () => "done");
  const [inside, behind] = createInMemoryTransports();
  await server.connect(behind);
  const composed = compose({ a: inside });
  for (let client = 0; client < 2; client++) {
    const [here, there] = createInMemoryTransports();
    await composed.connect(there);
    const session = await new Client({ name: `client ${client}`, version: "1.0.0" }).connect(here);
    const { tools } = await session.listTools();
    expect(textOf(await session.callTool({ name: tools[0]?.name ?? "" }))).toBe("done");
  }
  await composed.close({ drainMs: 0 });
});
