import { createRedisStores } from "@tenon/store-redis";
import { createTaskEngine, type TaskDefinition } from "@tenon/tasks";
import { startProxy } from "@tenon/test-support/proxy";
import { hasRedis, startRedis } from "@tenon/test-support/redis";
import { createClient } from "redis";
import { expect, onTestFinished, test, vi } from "vitest";

const job: TaskDefinition = { name: "job", version: "1", run: async (task) => task.arguments };

async function demo(url: string, interrupt: () => Promise<void>): Promise<unknown> {
  // #region open
  const client = await createClient({ url }).on("error", console.error).connect();
  await using stores = createRedisStores(client);
  await using engine = createTaskEngine({ store: stores.tasks });
  // #endregion open
  await interrupt();
  const { id } = await engine.start({ definition: job, arguments: "done", principal: "ada" });
  const ended = await engine.result(id, "ada");
  await client.close();
  return ended?.outcome;
}

test.skipIf(!hasRedis)(
  "an engine runs its tasks on Redis, and survives a lost connection (skipped without a server)",
  async () => {
    await using server = await startRedis();
    await using proxy = await startProxy(server.target);
    const reported = vi.spyOn(console, "error").mockImplementation(() => undefined);
    onTestFinished(() => reported.mockRestore());
    const interrupt = async (): Promise<void> => {
      proxy.stop();
      await vi.waitFor(() => expect(reported).toHaveBeenCalled());
      proxy.restore();
    };
    expect(await demo(`redis://127.0.0.1:${proxy.port}`, interrupt)).toEqual({ result: "done" });
  },
);

test.skipIf(!hasRedis)(
  "a call that the server does not respond to fails (skipped without a server)",
  async () => {
    await using server = await startRedis();
    await using proxy = await startProxy(server.target);
    const socket = { host: "127.0.0.1", port: proxy.port };
    const client = createClient({ socket });
    client.on("error", () => undefined);
    await client.connect();
    const { sessions } = createRedisStores(client, { limits: { timeoutMs: 1 } });
    proxy.stop();
    // The client queues the command until it is connected again.
    await expect(sessions.get("s", undefined)).rejects.toMatchObject({
      code: "STORE_FAILED",
      message: expect.stringContaining("timeoutMs"),
    });
    client.destroy();
  },
);

test.skipIf(!hasRedis)(
  "a principal that has too many tasks gets no more (skipped without a server)",
  async () => {
    await using server = await startRedis();
    await using proxy = await startProxy(server.target);
    const client = await createClient({ url: `redis://127.0.0.1:${proxy.port}` }).connect();
    const stores = createRedisStores(client, { limits: { maxTasksPerPrincipal: 1 } });
    const engine = createTaskEngine({ store: stores.tasks });
    await engine.start({ definition: job, arguments: "", principal: "ada" });
    const second = engine.start({ definition: job, arguments: "", principal: "ada" });
    await expect(second).rejects.toMatchObject({ code: "STORE_FULL" });
    await engine.close();
    await stores.close();
    client.destroy();
  },
);

test("a value that is no client, and options that do not exist, are refused", () => {
  expect(() => createRedisStores({} as never)).toThrow("redis, ioredis or iovalkey");
  const client = { call: () => Promise.resolve(), duplicate: () => ({}) as never };
  expect(() => createRedisStores(client, { limits: { eventTtl: 1 } } as object)).toThrow("eventTtlMs");
});
