import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { Client, type ClientSession } from "@tenon/sdk/client";
import { CommandTransport, type CommandConnection } from "@tenon/sdk/stdio";
import { taskClient, type StartedTask } from "@tenon/sdk/tasks/client";
import { expect, onTestFinished, test } from "vitest";

const program = join(import.meta.dirname, "../dist/server.js");

interface Running {
  readonly session: ClientSession;
  /** Ends the server as a power failure would. */
  kill(): Promise<void>;
}

async function start(path: string, revision: "2025-11-25" | "2026-07-28", send: boolean): Promise<Running> {
  const transport = new CommandTransport({ command: process.execPath, args: [program, path] });
  let connection: CommandConnection | undefined;
  const client = new Client(
    { name: "reader", version: "1.0.0" },
    {
      revisions: [revision],
      elicitation: { form: () => ({ action: "accept", content: { send } }) },
      onError: () => {},
    },
  );
  client.use(taskClient());
  const session = await client.connect({
    async connect(options) {
      connection = await transport.connect(options);
      return connection;
    },
  });
  onTestFinished(() => client.close());
  return {
    session,
    async kill() {
      process.kill(connection?.pid ?? 0, "SIGKILL");
      await session.closed;
    },
  };
}

test.each(["2025-11-25", "2026-07-28"] as const)(
  "a report is killed in its work and while it waits, and is finished by a third process (%s)",
  async (revision) => {
    const folder = await mkdtemp(join(tmpdir(), "tenon-tasks-"));
    onTestFinished(() => rm(folder, { recursive: true }));
    const path = join(folder, "reports.log");
    const steps = async (): Promise<string[]> => (await readFile(`${path}.steps`, "utf8")).trim().split("\n");

    const first = await start(path, revision, true);
    const { reference, task } = (await first.session.tasks.start({
      name: "report",
      arguments: { topic: "joints" },
    })) as StartedTask;
    await expect.poll(() => steps().catch(() => [])).not.toEqual([]);
    await first.kill();

    const second = await start(path, revision, true);
    await expect.poll(async () => (await second.session.tasks.get(task.id)).status).toBe("input_required");
    await second.kill();

    const third = await start(path, revision, true);
    const resumed = await third.session.tasks.resume(reference);
    expect(await resumed.result()).toMatchObject({
      content: [{ text: "Sent: The past of joints. The present of joints. The future of joints." }],
    });
    // The step that ran when its process was killed may run again; none that was kept does.
    const ran = await steps();
    expect(ran.length).toBeLessThanOrEqual(4);
    expect(new Set(ran)).toEqual(new Set(["past", "present", "future"]));
  },
);
