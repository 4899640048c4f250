import { compose } from "@tenon/compose";
import { Manager, type LaneLimits } from "@tenon/host";
import { Client, Server, type ClientSession } from "@tenon/mcp";
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

test("a task of a legacy program that has ended can be read again, whichever connection it had", async () => {
  const ann = await serving(program())("ann");
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
