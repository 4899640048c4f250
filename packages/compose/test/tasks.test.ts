import { PassThrough } from "node:stream";

import { compose } from "@tenon/compose";
import { Client, Server, type ClientSession } from "@tenon/mcp";
import type { Revision } from "@tenon/protocol";
import { createTaskEngine } from "@tenon/tasks";
import { taskClient, type StartedTask } from "@tenon/tasks/client";
import { tasks } from "@tenon/tasks/server";
import { bothEras, deferred, legacyRevision, modernRevision } from "@tenon/test-support";
import { createInMemoryTransports } from "@tenon/transports-memory";
import { StdioTransport } from "@tenon/transports-stdio";
import { expect, onTestFinished, test } from "vitest";

import { serving } from "./serving.ts";

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
  server.addTool(
    { name: "facts", task: "required", output: { type: "object", properties: { open: { type: "object" } } } },
    async () => {
      await end;
      return { open: { value: 1 }, secret: "of the server" };
    },
  );
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
    for (const id of ["unknown", "first.%.1", "first..unknown"]) {
      await expect(session.tasks.get(id)).rejects.toMatchObject({ code: "TASK_LOST" });
    }
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
      const transforms = [{ tool: "facts", output: "/open" }];
      const composed = compose({ behind: source }, { stateKeys, transforms, onError: () => {} });
      return serving(composed);
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
    const facts = (await ann.tasks.start({ name: "mcp__behind__facts" })) as StartedTask;
    const cut = await (await second("ann")).tasks.resume(facts.reference);
    end.resolve();
    // A process that has not started the task cuts its result as well.
    expect((await cut.result()).structuredContent).toEqual({ value: 1 });
    expect((await facts.result()).structuredContent).toEqual({ value: 1 });
    expect((await again.result()).content).toEqual([{ type: "text", text: "of behind" }]);
  },
);

test("clients whose programs give tasks the same id get each their own result", async () => {
  let programs = 0;
  /** A legacy program that counts its tasks from 1, as each client's own process does. */
  const program = async (): Promise<ReturnType<typeof createInMemoryTransports>[0]> => {
    const who = programs++;
    const engine = createTaskEngine();
    onTestFinished(() => engine.close());
    const server = new Server({ name: "program", version: "1.0.0" }, { revisions: [legacyRevision] });
    server.use(tasks({ engine }));
    server.addTool({ name: "work", task: "required" }, () => `secret of program ${who}`);
    const [here, there] = createInMemoryTransports();
    await server.connect(there);
    let own = "";
    const swapped = <T>(value: T, from: string, to: string): T =>
      JSON.parse(JSON.stringify(value).replaceAll(from, to)) as T;
    return {
      async connect(options) {
        const connection = await here.connect(options);
        return {
          async read() {
            const message = await connection.read();
            own ||= /"taskId":"([^"]+)"/.exec(JSON.stringify(message ?? null))?.[1] ?? "";
            return message === undefined || own === "" ? message : swapped(message, own, "task-1");
          },
          write: (message, more) =>
            connection.write(own === "" ? message : swapped(message, "task-1", own), more),
          close: (reason) => connection.close(reason),
          [Symbol.asyncDispose]: () => connection.close(),
        };
      },
    };
  };
  const composed = compose({ work: program }, { onError: () => {} });
  const connect = serving(composed);
  const started = await Promise.all(
    ["ann", "bob"].map(async (who) => {
      const session = await connect(who);
      return (await session.tasks.start({ name: "mcp__work__work" })) as StartedTask;
    }),
  );
  const results = await Promise.all(started.map((task) => task.result()));
  const texts = results.map(({ content }) => JSON.stringify(content));
  expect(new Set(texts).size).toBe(2);
});

test.each(["tasks of its users", "calls that follow tasks"])(
  "one stdio connection of a legacy server carries %s that wait for input, and other calls meanwhile",
  async (kind) => {
    const engine = createTaskEngine();
    onTestFinished(() => engine.close());
    const server = new Server({ name: "behind", version: "1.0.0" }, { revisions: [legacyRevision] });
    server.use(tasks({ engine }));
    server.addTool({ name: "send", task: "required" }, async (_, context) => {
      const answer = await context.elicit({
        message: "Send?",
        requestedSchema: { type: "object", properties: { by: { type: "string" } } },
      });
      return `sent by ${JSON.stringify(answer)}`;
    });
    server.addTool({ name: "plain" }, () => "at once");
    const [up, down] = [new PassThrough(), new PassThrough()];
    await server.connect(new StdioTransport({ stdin: up, stdout: down }));
    const own = new Client(
      { name: "own", version: "1.0.0" },
      { elicitation: { form: () => ({ action: "decline" }) }, cache: false },
    );
    own.use(taskClient());
    const source = await own.connect(new StdioTransport({ stdin: down, stdout: up }));
    const composed = compose({ source }, { onError: () => {} });
    onTestFinished(async () => {
      await composed.close({ drainMs: 0 });
      await source.close({ drainMs: 0 });
    });
    const [bothAsked, answer] = [deferred(), deferred()];
    let asked = 0;
    const users = await Promise.all(
      ["ann", "bob"].map(async (who) => {
        const [here, there] = createInMemoryTransports();
        await composed.connect(there);
        const form = async (): Promise<{ readonly action: "accept"; readonly content: { by: string } }> => {
          asked++;
          if (asked === 2) {
            bothAsked.resolve();
          }
          await answer.promise;
          return { action: "accept", content: { by: who } };
        };
        const client = new Client({ name: who, version: "1.0.0" }, { elicitation: { form } });
        if (kind === "tasks of its users") {
          client.use(taskClient());
        }
        const session = await client.connect(here);
        onTestFinished(() => session.close({ drainMs: 0 }));
        return session;
      }),
    );
    await Promise.all(users.map((session) => session.listTools()));
    const results = users.map((session) => session.callTool({ name: "mcp__source__send" }));
    await Promise.race([bothAsked.promise, ...results]);
    const plain = await users[0]?.callTool({ name: "mcp__source__plain" });
    expect(plain?.content).toEqual([{ type: "text", text: "at once" }]);
    answer.resolve();
    const texts = (await Promise.all(results)).map(({ content }) => JSON.stringify(content));
    expect(texts[0]).toContain("ann");
    expect(texts[1]).toContain("bob");
  },
);

test("limits and keys that allow no task and no held call are errors at the first use", async () => {
  const reports: string[] = [];
  const end = deferred();
  end.resolve();
  const asking = new Server(
    { name: "asking", version: "1.0.0" },
    { revisions: [legacyRevision], onError: () => {} },
  );
  asking.addTool({ name: "ask" }, async (_, ctx) => {
    await ctx.elicit({ message: "sure?", requestedSchema: { type: "object", properties: {} } });
    return "done";
  });
  const composed = compose(
    {
      first: reporting("first", end.promise),
      asking: async () => {
        const [here, there] = createInMemoryTransports();
        await asking.connect(there);
        return here;
      },
    },
    {
      stateKeys: () => Promise.resolve([]),
      connections: { maxHeld: 0 },
      onError: (error) => reports.push(String(error)),
    },
  );
  onTestFinished(() => composed.close({ drainMs: 0 }));
  const [here, there] = createInMemoryTransports();
  await composed.connect(there);
  const client = new Client(
    { name: "ann", version: "1.0.0" },
    { revisions: [modernRevision], elicitation: "cancel" },
  );
  client.use(taskClient());
  const session = await client.connect(here);
  onTestFinished(() => session.close({ drainMs: 0 }));
  await session.listTools();
  await expect(session.tasks.start({ name: "mcp__first__report" })).rejects.toThrow(
    "The request to the server failed.",
  );
  expect(reports.join()).toContain("stateKeys must return a list with at least one key; got an empty list.");
  await expect(session.callTool({ name: "mcp__asking__ask" })).rejects.toThrow(
    "Too many calls wait for input: the limit is 0 (maxHeld).",
  );
});
