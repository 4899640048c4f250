import { Client, Server, type ClientSession } from "@tenon/mcp";
import { createTaskEngine } from "@tenon/tasks";
import { taskClient, type StartedTask } from "@tenon/tasks/client";
import { tasks } from "@tenon/tasks/server";
import { StreamableClientTransport } from "@tenon/transports-streamable-http/client";
import { createStreamableHandler } from "@tenon/transports-streamable-http/server";
import { expect, onTestFinished, test } from "vitest";

import { shapes } from "./shapes.ts";

const form = { type: "object", properties: { name: { type: "string" } }, required: ["name"] } as const;

function taskServer(): Server {
  const engine = createTaskEngine({ limits: { pollIntervalMs: 1 } });
  const server = new Server({ name: "server", version: "1.0.0" }, { onError: () => {} });
  server.use(tasks({ engine }));
  server.addTool({ name: "report", task: "optional" }, (_, { task }) => String(task !== undefined));
  server.addTool({ name: "ask", task: "optional" }, async (_, context) => {
    const outcome = await context.elicit({ message: "Name?", requestedSchema: form });
    return outcome.action === "accept" ? outcome.content.name : outcome.action;
  });
  onTestFinished(() => engine.close({ drainMs: 0 }));
  return server;
}

async function connect(shape: string): Promise<ClientSession> {
  const { revision, serve } = shapes[shape] ?? expect.fail(`no shape ${shape}`);
  const endpoint = serve(taskServer());
  const connectable = await endpoint.client();
  const client = new Client(
    { name: "client", version: "1.0.0" },
    {
      revisions: [revision],
      elicitation: { form: () => ({ action: "accept", content: { name: "Ada" } }) },
      onError: () => {},
    },
  );
  client.use(taskClient());
  const session = await client.connect(connectable.transport);
  await connectable.listening;
  onTestFinished(async () => {
    await client.close();
    await endpoint.close();
  });
  return session;
}

const text = (result: { readonly content: readonly object[] }): unknown => result.content[0];

test.each(Object.keys(shapes))("a call becomes a task and has its result (%s)", async (shape) => {
  const session = await connect(shape);
  const result = await session.callTool({ name: "report" }, { task: "prefer" });
  // Legacy clients have to know which tools support tasks.
  expect(text(result)).toMatchObject({ text: String(session.era === "modern") });
  await session.listTools();
  expect(text(await session.callTool({ name: "report" }, { task: "prefer" }))).toMatchObject({
    text: "true",
  });
});

test.each(["memory", "stdio", "port", "GET", "store", "no GET", "modern"])(
  "a task asks for input (%s)",
  async (shape) => {
    const session = await connect(shape);
    await session.listTools();
    const result = await session.callTool({ name: "ask" }, { task: "prefer" });
    expect(text(result)).toMatchObject({ text: "Ada" });
  },
);

test.each(Object.keys(shapes))("a task is read, watched and cancelled (%s)", async (shape) => {
  const session = await connect(shape);
  const started = (await session.tasks.start({ name: "report" })) as StartedTask;
  const states: string[] = [];
  for await (const { status } of session.tasks.watch(started.task.id)) {
    states.push(status);
  }
  expect(states.at(-1)).toBe("completed");
  expect(text(await started.result())).toMatchObject({ text: "true" });
});

test("Mcp-Name repeats the ID of the task in every request about it (R-704)", async () => {
  const handler = createStreamableHandler({ getServer: taskServer });
  const names: (string | null)[] = [];
  const client = new Client({ name: "client", version: "1.0.0" });
  client.use(taskClient());
  const session = await client.connect(
    new StreamableClientTransport("http://localhost/mcp", {
      fetch: (input, init) => {
        const request = new Request(input, init);
        const method = request.headers.get("mcp-method");
        if (method?.startsWith("tasks/")) {
          names.push(`${method} ${request.headers.get("mcp-name")}`);
        }
        return handler.fetch(request);
      },
    }),
  );
  onTestFinished(async () => {
    await client.close();
    await handler.close({ drainMs: 0 });
  });
  await session.tasks.get("t1").catch(() => {});
  await session.tasks.update("t2", {}).catch(() => {});
  await session.tasks.cancel("t3").catch(() => {});
  // After a refusal the client asks whether the server knows the task at all.
  expect(names).toEqual([
    "tasks/get t1",
    "tasks/update t2",
    "tasks/get t2",
    "tasks/cancel t3",
    "tasks/get t3",
  ]);
});
