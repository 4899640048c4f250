import { compose } from "@tenon/compose";
import { Client, Server, type ClientSession } from "@tenon/mcp";
import type { Revision } from "@tenon/protocol";
import { createTaskEngine } from "@tenon/tasks";
import { taskClient, type StartedTask } from "@tenon/tasks/client";
import { tasks } from "@tenon/tasks/server";
import { bothEras, deferred, modernRevision } from "@tenon/test-support";
import { createInMemoryTransports } from "@tenon/transports-memory";
import { StreamableClientTransport } from "@tenon/transports-streamable-http/client";
import { createStreamableHandler } from "@tenon/transports-streamable-http/server";
import { expect, onTestFinished, test } from "vitest";

/** A server with a long-running tool that ends when the promise resolves. */
function reporting(name: string, end: Promise<void>, revisions?: readonly Revision[]): Server {
  const engine = createTaskEngine();
  onTestFinished(() => engine.close());
  const server = new Server({ name, version: "1.0.0" }, revisions === undefined ? {} : { revisions });
  server.use(tasks({ engine }));
  server.addTool({ name: "report", task: "required" }, async () => {
    await end;
    return `of ${name}`;
  });
  return server;
}

test.each(["mounted at once", "made when needed"])(
  "a task of a server that is %s is read and cancelled by reference through the composition",
  async (kind) => {
    const end = deferred();
    const second = reporting("second", end.promise);
    const composed = compose(
      {
        first: reporting("first", end.promise),
        second: kind === "mounted at once" ? second : { createServer: () => second },
      },
      { onError: () => {} },
    );
    onTestFinished(() => composed.close({ drainMs: 0 }));
    const [here, there] = createInMemoryTransports();
    await composed.connect(there);
    const client = new Client({ name: "ann", version: "1.0.0" }, { revisions: [modernRevision] });
    client.use(taskClient());
    const session = await client.connect(here);
    onTestFinished(() => session.close({ drainMs: 0 }));
    await session.listTools();
    const start = async (server: string): Promise<StartedTask> =>
      (await session.tasks.start({ name: `mcp__${server}__report` })) as StartedTask;
    const [first, other, cancelled] = [await start("first"), await start("second"), await start("second")];
    const found = await session.tasks.resume(other.reference);
    expect(found.task.status).toBe("working");
    await cancelled.cancel();
    await expect.poll(async () => (await session.tasks.get(cancelled.task.id)).status).toBe("cancelled");
    end.resolve();
    expect((await first.result()).content).toEqual([{ type: "text", text: "of first" }]);
    expect((await found.result()).content).toEqual([{ type: "text", text: "of second" }]);
    await expect(session.tasks.get("unknown")).rejects.toThrow();
  },
);

test.each(bothEras)(
  "the task of a connected server belongs to its principal, in each process with the same keys (server of %s)",
  async (back) => {
    const end = deferred();
    const behind = reporting("behind", end.promise, [back]);
    const keys = [{ id: "1", secret: "k".repeat(32) }];
    /** A composition of its own. @returns Connects a client with a principal to it. */
    const node = (stateKeys?: typeof keys): ((who: string) => Promise<ClientSession>) => {
      const source = async (): Promise<ReturnType<typeof createInMemoryTransports>[0]> => {
        const [here, there] = createInMemoryTransports();
        await behind.connect(there);
        return here;
      };
      const composed = compose({ behind: source }, { stateKeys, onError: () => {} });
      const handler = createStreamableHandler({
        getServer: () => composed,
        authenticate: ({ headers }) => ({ principal: headers.get("x-who") ?? "" }),
      });
      onTestFinished(async () => {
        await handler.close({ drainMs: 0 });
        await composed.close({ drainMs: 0 });
      });
      return async (who) => {
        const client = new Client({ name: who, version: "1.0.0" }, { revisions: [modernRevision] });
        client.use(taskClient());
        const transport = new StreamableClientTransport("http://localhost/mcp", {
          headers: { "x-who": who },
          fetch: async (url, init) => handler.fetch(new Request(url, init)),
        });
        const session = await client.connect(transport);
        onTestFinished(() => session.close({ drainMs: 0 }));
        return session;
      };
    };
    const [first, second, stranger] = [node(keys), node(keys), node()];
    const ann = await first("ann");
    const started = (await ann.tasks.start({ name: "mcp__behind__report" })) as StartedTask;
    expect(started).toMatchObject({ resultType: "task", task: { status: "working" } });
    const { reference } = started;
    await expect((await first("bob")).tasks.resume(reference)).rejects.toMatchObject({ code: "TASK_LOST" });
    await expect((await stranger("ann")).tasks.resume(reference)).rejects.toMatchObject({
      code: "TASK_LOST",
    });
    const again = await (await second("ann")).tasks.resume(reference);
    end.resolve();
    expect((await again.result()).content).toEqual([{ type: "text", text: "of behind" }]);
  },
);
