import { compose } from "@tenon/compose";
import { Manager, type ManagerOptions } from "@tenon/host";
import { Client, Server, type ClientSession, type ServerSession } from "@tenon/mcp";
import { bothEras, deferred } from "@tenon/test-support";
import { createInMemoryTransports } from "@tenon/transports-memory";
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
  expect(result._meta).toMatchObject({ "io.tenon/truncated": { limit: 1000 } });
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
