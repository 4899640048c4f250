import { compose } from "@tenon/compose";
import { Client, Server } from "@tenon/mcp";
import { createTaskEngine } from "@tenon/tasks";
import { taskClient, type StartedTask } from "@tenon/tasks/client";
import { tasks } from "@tenon/tasks/server";
import { deferred, modernRevision } from "@tenon/test-support";
import { createInMemoryTransports } from "@tenon/transports-memory";
import { expect, onTestFinished, test } from "vitest";

/** A server with a long-running tool that ends when the promise resolves. */
function reporting(name: string, end: Promise<void>): Server {
  const engine = createTaskEngine();
  onTestFinished(() => engine.close());
  const server = new Server({ name, version: "1.0.0" });
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
