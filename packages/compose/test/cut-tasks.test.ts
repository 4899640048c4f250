import { compose } from "@tenon/compose";
import { Manager, type LaneLimits } from "@tenon/host";
import { Client, defineMethod, Server, type ClientSession } from "@tenon/mcp";
import type { Revision } from "@tenon/protocol";
import { createTaskEngine } from "@tenon/tasks";
import { taskClient, type StartedTask } from "@tenon/tasks/client";
import { tasks } from "@tenon/tasks/server";
import { deferred, legacyRevision, modernRevision } from "@tenon/test-support";
import { createInMemoryTransports } from "@tenon/transports-memory";
import { StreamableClientTransport } from "@tenon/transports-streamable-http/client";
import { createStreamableHandler } from "@tenon/transports-streamable-http/server";
import { expect, onTestFinished, test } from "vitest";

import { serving } from "./serving.ts";

/** Serves a server with a tool whose task requests input when the promise resolves. */
function asking(revision: Revision, mayAsk: Promise<void>): Server {
  const engine = createTaskEngine({ limits: { pollIntervalMs: 100 } });
  onTestFinished(() => engine.close({ drainMs: 0 }));
  const behind = new Server({ name: "behind", version: "1.0.0" }, { revisions: [revision] });
  behind.use(tasks({ engine }));
  behind.addTool({ name: "ask", task: "required" }, async (_, context) => {
    await mayAsk;
    const { action } = await context.elicit({
      message: "Sure?",
      requestedSchema: { type: "object", properties: {} },
    });
    return action;
  });
  return behind;
}

/** A legacy client that declines what is asked for. */
function declining(): Client {
  return new Client(
    { name: "ann", version: "1.0.0" },
    { revisions: [legacyRevision], elicitation: { form: () => ({ action: "decline" }) } },
  );
}

async function connect(composed: Server): Promise<ClientSession> {
  const [here, there] = createInMemoryTransports();
  await composed.connect(there);
  return declining().connect(here);
}

test("the input requests of a task reach a legacy client that lost the connection of its request for the result", async () => {
  const mayAsk = deferred();
  const behind = asking(legacyRevision, mayAsk.promise);
  let count = 0;
  const first = deferred();
  behind.addReceivingMiddleware((next) => (request) => {
    const result = next(request);
    if (request.method === "tasks/result") {
      count++;
      first.resolve();
    }
    return result;
  });
  const composed = compose(
    {
      async behind() {
        const [here, there] = createInMemoryTransports();
        await behind.connect(there);
        return here;
      },
    },
    { onError: () => {} },
  );
  const handler = createStreamableHandler({ getServer: () => composed, onError: () => {} });
  let isFirst = true;
  const client = declining();
  client.use(taskClient());
  onTestFinished(async () => {
    await client.close();
    await handler.close({ drainMs: 0 });
    await composed.close({ drainMs: 0 });
  });
  const session = await client.connect(
    new StreamableClientTransport("http://localhost/mcp", {
      async fetch(url, init) {
        const isResult = typeof init?.body === "string" && init.body.includes("tasks/result");
        if (!isResult || !isFirst) {
          return handler.fetch(new Request(url, init));
        }
        isFirst = false;
        const gone = new AbortController();
        handler.fetch(new Request(url, { ...init, signal: gone.signal })).catch(() => {});
        await first.promise;
        gone.abort();
        throw new TypeError("fetch failed");
      },
    }),
  );
  await session.listTools();
  const called = session.callTool({ name: "mcp__behind__ask" });
  await expect.poll(() => count).toBe(2);
  // Both requests wait for the task when the server has responded to a later one.
  await session.listTools();
  await session.listTools();
  mayAsk.resolve();
  expect((await called).content).toEqual([{ type: "text", text: "decline" }]);
  // Neither request has failed.
  expect(count).toBe(2);
});

test("a task of a modern server that is followed for a legacy client survives requests without a response", async () => {
  const behind = asking(modernRevision, Promise.resolve());
  const handler = createStreamableHandler({ getServer: () => behind });
  const faults = new Map([
    ["tasks/get", "before"],
    ["tasks/update", "after"],
  ]);
  const composed = compose(
    {
      behind: () =>
        new StreamableClientTransport("http://localhost/mcp", {
          eras: false,
          async fetch(url, init) {
            const body = typeof init?.body === "string" ? init.body : "{}";
            const { method = "" } = JSON.parse(body) as { readonly method?: string };
            const fault = faults.get(method);
            faults.delete(method);
            if (fault !== "before") {
              const response = await handler.fetch(new Request(url, init));
              if (fault === undefined) {
                return response;
              }
              await response.body?.cancel();
            }
            throw new TypeError("fetch failed");
          },
        }),
    },
    { onError: () => {} },
  );
  const session = await connect(composed);
  onTestFinished(async () => {
    await session.close();
    await composed.close({ drainMs: 0 });
    await handler.close({ drainMs: 0 });
  });
  const { content } = await session.callTool({ name: "mcp__behind__ask" });
  expect(content).toEqual([{ type: "text", text: "decline" }]);
  expect(faults.size).toBe(0);
});

test.each([
  [legacyRevision, "itself"],
  [legacyRevision, "a manager"],
  // The clients of a manager take no tasks of modern servers.
  [modernRevision, "itself"],
] as const)(
  "a call whose task cannot be followed may have run, and is not sent again (server of %s, connected by %s)",
  async (revision, by) => {
    const handler = createStreamableHandler({ getServer: () => asking(revision, Promise.resolve()) });
    const sent: string[] = [];
    const transport = (): StreamableClientTransport =>
      new StreamableClientTransport("http://localhost/mcp", {
        eras: false,
        fetch(url, init) {
          const { method = "" } = JSON.parse(typeof init?.body === "string" ? init.body : "{}") as {
            readonly method?: string;
          };
          sent.push(method);
          return /^tasks\/(?:get|result)$/.test(method)
            ? Promise.resolve(new Response("Forbidden", { status: 403 }))
            : handler.fetch(new Request(url, init));
        },
      });
    const manager = new Manager({ servers: { behind: { type: "custom", transport } } });
    await manager.connectAll();
    const composed = compose(by === "a manager" ? manager : { behind: transport }, { onError: () => {} });
    const session = await connect(composed);
    onTestFinished(async () => {
      await session.close();
      await composed.close({ drainMs: 0 });
      await manager.close();
      await handler.close({ drainMs: 0 });
    });
    await expect(session.callTool({ name: "mcp__behind__ask" })).rejects.toMatchObject({
      data: { reason: "call-lost", delivered: "maybe" },
    });
    expect(sent.filter((each) => each === "tools/call")).toHaveLength(revision === modernRevision ? 2 : 1);
  },
);

/** A composition of a program that ends with its connection, whose tool is a task. */
function program(connections: LaneLimits = {}): Server {
  return compose(
    {
      async program() {
        const [here, there] = createInMemoryTransports();
        const engine = createTaskEngine();
        onTestFinished(() => engine.close());
        const behind = new Server({ name: "program", version: "1.0.0" }, { revisions: [legacyRevision] });
        behind.use(tasks({ engine }));
        behind.addTool({ name: "work", task: "required" }, () => "done");
        await behind.connect(there);
        return here;
      },
    },
    { connections, onError: () => {} },
  );
}

test.each([
  ["the outcome is kept", {}],
  ["it is too large, so the connection is kept", { maxOutcomeLength: 10 }],
] as const)("a task of a legacy program that has ended can be read again: %s", async (_, limits) => {
  const ann = await serving(program(limits))("ann");
  // Each call has a connection, and so a program, of its own.
  const started = await Promise.all(
    ["1", "2"].map(async () => (await ann.tasks.start({ name: "mcp__program__work" })) as StartedTask),
  );
  for (const task of started) {
    const { content } = await task.result();
    expect(content).toEqual([{ type: "text", text: "done" }]);
  }
  for (const task of started) {
    // The response may have been lost.
    expect((await task.result()).content).toEqual([{ type: "text", text: "done" }]);
    await task.cancel();
  }
});

test("the tasks of one caller do not push out what is kept of the tasks of others", async () => {
  const connectAs = serving(program({ maxHeld: 5 }));
  const [ann, bob] = [await connectAs("ann"), await connectAs("bob")];
  const start = async (session: ClientSession): Promise<StartedTask> =>
    (await session.tasks.start({ name: "mcp__program__work" })) as StartedTask;
  // Each has a program of its own, so no other connection knows it.
  const kept = await Promise.all([start(bob), start(bob)]);
  for (const task of kept) {
    await task.result();
  }
  for (let count = 0; count < 5; count++) {
    await (await start(ann)).result();
  }
  for (const task of kept) {
    expect((await task.result()).content).toEqual([{ type: "text", text: "done" }]);
  }
});

test("a task of a legacy program is read after a modern server has taken the place of the program", async () => {
  const mayEnd = deferred();
  const ended: Promise<unknown>[] = [];
  const connectAs = serving(
    compose(
      {
        async program() {
          const [here, there] = createInMemoryTransports();
          const isModern = ended.length > 0;
          const engine = createTaskEngine();
          onTestFinished(() => engine.close());
          const revisions = [isModern ? modernRevision : legacyRevision];
          const behind = new Server({ name: "program", version: "1.0.0" }, { revisions });
          behind.use(tasks({ engine }));
          behind.addTool({ name: "work", task: "required" }, () => mayEnd.promise.then(() => "done"));
          behind.addTool({ name: "plain" }, () => "modern");
          const { closed } = await behind.connect(there);
          ended.push(closed);
          return here;
        },
      },
      { onError: () => {} },
    ),
  );
  const [ann, bob] = [await connectAs("ann"), await connectAs("bob")];
  const task = (await ann.tasks.start({ name: "mcp__program__work" })) as StartedTask;
  // The connection of another caller shows that the server is another one.
  const { content } = await bob.callTool({ name: "mcp__program__plain" });
  expect(content).toEqual([{ type: "text", text: "modern" }]);
  mayEnd.resolve();
  expect((await task.result()).content).toEqual([{ type: "text", text: "done" }]);
  // The program ends with its last task.
  await ended[0];
});

/** Composes a remote legacy server whose first response with the result of a task is lost. */
function losing(): { readonly composed: Server; readonly sent: string[]; readonly end: () => void } {
  const [arrived, mayEnd] = [deferred(), deferred()];
  const engine = createTaskEngine({ limits: { pollIntervalMs: 100 } });
  const behind = new Server({ name: "behind", version: "1.0.0" }, { revisions: [legacyRevision] });
  behind.addReceivingMiddleware((next) => (request) => {
    if (request.method === "tasks/result") {
      arrived.resolve();
    }
    return next(request);
  });
  behind.use(tasks({ engine }));
  behind.addTool({ name: "work", task: "required" }, () => mayEnd.promise.then(() => "done"));
  const handler = createStreamableHandler({ getServer: () => behind, onError: () => {} });
  const sent: string[] = [];
  const composed = compose(
    {
      behind: () =>
        new StreamableClientTransport("http://localhost/mcp", {
          eras: false,
          async fetch(url, init) {
            const body = typeof init?.body === "string" ? init.body : "{}";
            const { method = "" } = JSON.parse(body) as { readonly method?: string };
            sent.push(method);
            if (method !== "tasks/result" || sent.filter((each) => each === method).length > 1) {
              return handler.fetch(new Request(url, init));
            }
            const gone = new AbortController();
            handler.fetch(new Request(url, { ...init, signal: gone.signal })).catch(() => {});
            await arrived.promise;
            gone.abort();
            mayEnd.resolve();
            throw new TypeError("fetch failed");
          },
        }),
    },
    { onError: () => {} },
  );
  onTestFinished(async () => {
    await composed.close({ drainMs: 0 });
    await handler.close({ drainMs: 0 });
    await engine.close({ drainMs: 0 });
  });
  return { composed, sent, end: () => mayEnd.resolve() };
}

test("the result of a task is requested again after its response was lost, for a client that knows no tasks", async () => {
  const { composed, sent } = losing();
  const session = await connect(composed);
  const { content } = await session.callTool({ name: "mcp__behind__work" });
  expect(content).toEqual([{ type: "text", text: "done" }]);
  expect(sent.filter((method) => method === "tools/call")).toHaveLength(1);
});

test("the result of a task is requested again after its response was lost, for a legacy client that follows the task", async () => {
  const { composed } = losing();
  const [here, there] = createInMemoryTransports();
  await composed.connect(there);
  const session = await declining().connect(here);
  await session.listTools();
  const started: object = await session.request("tools/call", {
    name: "mcp__behind__work",
    task: {},
  } as never);
  const { task } = started as { readonly task: { readonly taskId: string } };
  const result = await session.request(defineMethod({ method: "tasks/result" }), { taskId: task.taskId });
  expect(result).toMatchObject({ content: [{ type: "text", text: "done" }] });
});

test("the result of a task is requested again after its response was lost, for a modern client", async () => {
  const { composed, sent, end } = losing();
  const session = await serving(composed)("ann");
  const { task: started } = (await session.tasks.start({ name: "mcp__behind__work" })) as StartedTask;
  end();
  let task = started;
  while (task.status === "working") {
    task = await session.tasks.get(task.id);
  }
  expect(task.result).toMatchObject({ content: [{ type: "text", text: "done" }] });
  expect(sent.filter((method) => method === "tasks/result")).toHaveLength(2);
});
