import { compose } from "@tenon/compose";
import { methodHandler, Peer } from "@tenon/jsonrpc2";
import { Client, type ClientSession } from "@tenon/mcp";
import { taskClient, type StartedTask } from "@tenon/tasks/client";
import { deferred, legacyRevision } from "@tenon/test-support";
import { createInMemoryTransports } from "@tenon/transports-memory";
import { expect, onTestFinished, test } from "vitest";

import { serving } from "./serving.ts";

/** A program of 2025-11-25 whose tool `work` becomes the task `1`, as in a program that counts. */
class CountingProgram {
  /** The connections to the program. */
  readonly peers: Peer[] = [];
  /** When its task was made. */
  madeAt = "2025-12-01T00:00:00Z";
  /** The result of its task, when it has ended. */
  result: object | undefined;
  /** Called when the tool `plain` runs. */
  readonly plain = deferred();
  readonly plainMayEnd = deferred();

  /** Connects to the program. */
  async connect(): Promise<ReturnType<typeof createInMemoryTransports>[0]> {
    const [here, there] = createInMemoryTransports();
    const task = (): object => ({
      taskId: "1",
      status: this.result === undefined ? "working" : "completed",
      createdAt: this.madeAt,
      lastUpdatedAt: this.madeAt,
      ttl: null,
    });
    const input = { type: "object" };
    const handlers = {
      initialize: () => ({
        protocolVersion: legacyRevision,
        capabilities: { tools: {}, tasks: { requests: { tools: { call: {} } } } },
        serverInfo: { name: "counting", version: "1.0.0" },
      }),
      "notifications/initialized": () => {},
      ping: () => ({}),
      "tools/list": () => ({
        tools: [
          { name: "work", inputSchema: input, execution: { taskSupport: "required" } },
          { name: "plain", inputSchema: input },
        ],
      }),
      "tools/call": async ({ name }: { name: string }) => {
        if (name === "work") {
          return { task: task() };
        }
        this.plain.resolve();
        await this.plainMayEnd.promise;
        return { content: [{ type: "text", text: "plain" }] };
      },
      "tasks/get": task,
      "tasks/result": () => this.result,
    };
    this.peers.push(new Peer(await there.connect(), { handler: methodHandler(handlers as never) }));
    return here;
  }
}

const work = async (session: ClientSession): Promise<StartedTask> =>
  (await session.tasks.start({ name: "mcp__program__work" })) as StartedTask;

test("a question of a task that no call waits for reaches no other user of the connection", async () => {
  const program = new CountingProgram();
  const own = new Client(
    { name: "own", version: "1.0.0" },
    { elicitation: { form: () => ({ action: "decline" }) } },
  );
  own.use(taskClient());
  const shared = await own.connect(await program.connect());
  onTestFinished(() => shared.close({ drainMs: 0 }));
  const connect = serving(compose({ program: shared }, { onError: () => {} }));
  const asked: string[] = [];
  const [ann, bob] = [await connect("ann", asked), await connect("bob", asked)];
  await work(ann);
  const called = bob.callTool({ name: "mcp__program__plain" });
  await program.plain.promise;
  const question = program.peers[0]?.call("elicitation/create", {
    message: "Send the money of Ann?",
    requestedSchema: { type: "object", properties: {} },
    _meta: { "io.modelcontextprotocol/related-task": { taskId: "1" } },
  });
  await expect(question).rejects.toThrow();
  program.plainMayEnd.resolve();
  expect((await called).content).toEqual([{ type: "text", text: "plain" }]);
  expect(asked).toEqual([]);
});

test("a task whose id a restarted program has given again is lost, and its result has no id of the program", async () => {
  const program = new CountingProgram();
  const connect = serving(compose({ program: () => program.connect() }, { onError: () => {} }));
  const ann = await connect("ann");
  const before = await work(ann);
  await Promise.all(program.peers.map((peer) => peer.close()));
  program.madeAt = "2025-12-01T00:00:01Z";
  program.result = {
    content: [{ type: "text", text: "of another" }],
    _meta: { "io.modelcontextprotocol/related-task": { taskId: "1" } },
  };
  await expect(ann.tasks.get(before.task.id)).rejects.toMatchObject({ code: "TASK_LOST" });
  const result = await (await work(ann)).result();
  expect(result.content).toEqual([{ type: "text", text: "of another" }]);
  expect(JSON.stringify(result)).not.toContain("related-task");
});
