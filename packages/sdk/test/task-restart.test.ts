import { Client, Server } from "@tenon/mcp";
import { createMemoryTaskStore, createTaskEngine, type TaskEngine } from "@tenon/tasks";
import { taskClient } from "@tenon/tasks/client";
import { tasks } from "@tenon/tasks/server";
import { StreamableClientTransport } from "@tenon/transports-streamable-http/client";
import { createStreamableHandler } from "@tenon/transports-streamable-http/server";
import { expect, onTestFinished, test } from "vitest";

const outages: Readonly<Record<string, () => Response>> = {
  "is not reachable": () => {
    throw new TypeError("fetch failed");
  },
  "responds with 503": () => new Response(null, { status: 503 }),
};

test.each(Object.keys(outages))(
  "a call survives a restart of its HTTP server, which meanwhile %s",
  async (outage) => {
    const respond = outages[outage] ?? expect.fail();
    const store = createMemoryTaskStore();
    const start = async (run: () => unknown): Promise<{ fetch: typeof fetch; engine: TaskEngine }> => {
      const engine = createTaskEngine({ store, limits: { pollIntervalMs: 1 } });
      const server = new Server({ name: "server", version: "1.0.0" });
      server.use(tasks({ engine }));
      server.addTool({ name: "report", task: "required" }, async () => String(await run()));
      await engine.resume({ definitions: [] });
      const handler = createStreamableHandler({ getServer: () => server });
      onTestFinished(async () => {
        await handler.close({ drainMs: 0 });
        await engine.close({ drainMs: 0 });
      });
      return { fetch: (input, init) => handler.fetch(new Request(input, init)), engine };
    };
    const first = await start(() => new Promise(() => undefined));
    let served: typeof fetch = first.fetch;
    const client = new Client({ name: "client", version: "1.0.0" });
    client.use(taskClient());
    const session = await client.connect(
      new StreamableClientTransport("http://localhost/mcp", { fetch: (input, init) => served(input, init) }),
    );
    onTestFinished(() => client.close());
    let failed = 0;
    const result = session.callTool(
      { name: "report" },
      {
        onTask: () => {
          served = () => {
            failed++;
            return new Promise((resolve) => {
              resolve(respond());
            });
          };
        },
      },
    );
    await expect.poll(() => failed).toBeGreaterThanOrEqual(2);
    await first.engine.close({ drainMs: 0 });
    ({ fetch: served } = await start(() => "done"));
    expect((await result).content).toMatchObject([{ text: "done" }]);
  },
);
