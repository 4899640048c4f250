import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { CallToolResultSchema, ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { Client } from "@tenon/sdk/client";
import { createInMemoryTransports } from "@tenon/sdk/memory";
import { Server } from "@tenon/sdk/server";
import { CommandTransport } from "@tenon/sdk/stdio";
import { createTaskEngine } from "@tenon/tasks";
import { taskClient } from "@tenon/tasks/client";
import { tasks } from "@tenon/tasks/server";
import { expect, onTestFinished, test } from "vitest";

import { bridge } from "./memory/bridge.ts";
import { everythingServer } from "./paths.ts";

const form = { type: "object", properties: { name: { type: "string" } }, required: ["name"] } as const;

test("the official client, version 1, follows our task with a request for input in the middle", async () => {
  const engine = createTaskEngine({ limits: { pollIntervalMs: 1 } });
  const server = new Server({ name: "server", version: "1.0.0" });
  server.use(tasks({ engine, owner: () => "ada" }));
  server.addTool({ name: "ask", task: "required" }, async (_, context) => {
    const outcome = await context.elicit({ message: "Name?", requestedSchema: form });
    return `Hello ${outcome.action === "accept" ? outcome.content.name : "you"}`;
  });
  server.addTool(
    { name: "endless", task: "required" },
    (_, { signal }) =>
      new Promise<string>((_resolve, reject) => {
        signal.addEventListener("abort", () => {
          reject(signal.reason as Error);
        });
      }),
  );
  const [here, there] = createInMemoryTransports();
  await server.connect(there);
  const client = new ClientV1(
    { name: "official", version: "1.0.0" },
    { capabilities: { elicitation: { form: {} }, tasks: {} } },
  );
  client.setRequestHandler(ElicitRequestSchema, () => ({ action: "accept", content: { name: "Ada" } }));
  await client.connect(bridge(here) as never);
  onTestFinished(async () => {
    await client.close();
    await server.close({ drainMs: 0 });
    await engine.close({ drainMs: 0 });
  });
  await client.listTools();
  const messages: unknown[] = [];
  const stream = client.experimental.tasks.callToolStream(
    { name: "ask", arguments: {} },
    CallToolResultSchema,
    {
      task: { ttl: 60_000 },
    },
  );
  for await (const message of stream) {
    messages.push(message);
  }
  expect(messages[0]).toMatchObject({ type: "taskCreated", task: { status: "working", ttl: 60_000 } });
  expect(messages.at(-1)).toMatchObject({ type: "result", result: { content: [{ text: "Hello Ada" }] } });

  const endless = client.experimental.tasks.callToolStream(
    { name: "endless", arguments: {} },
    CallToolResultSchema,
    {
      task: {},
    },
  );
  const { value } = await endless.next();
  const { taskId } = (value as { readonly task: { readonly taskId: string } }).task;
  expect(await client.experimental.tasks.cancelTask(taskId)).toMatchObject({ status: "cancelled" });
  expect((await client.experimental.tasks.listTasks()).tasks).toHaveLength(2);
  await endless.return();
});

test("our client follows a task of the official server, version 1, and gives it input", async () => {
  const asked: string[] = [];
  const seen = new Set<string>();
  const client = new Client(
    { name: "ours", version: "1.0.0" },
    {
      revisions: ["2025-11-25"],
      elicitation: {
        form: ({ message, requestedSchema }) => {
          asked.push(message);
          const [[field, schema] = ["", {}]] = Object.entries(requestedSchema.properties);
          const choice = "enum" in schema ? (schema.enum as readonly string[])[0] : undefined;
          const titled =
            "oneOf" in schema ? (schema.oneOf as readonly { const: string }[])[0]?.const : undefined;
          return { action: "accept", content: { [field]: choice ?? titled ?? "the first" } };
        },
      },
    },
  );
  client.use(taskClient());
  onTestFinished(() => client.close());
  const session = await client.connect(
    new CommandTransport({ command: process.execPath, args: [everythingServer, "stdio"] }),
  );
  await session.listTools();
  const result = await session.callTool(
    { name: "simulate-research-query", arguments: { topic: "joints", ambiguous: true } },
    { onTask: ({ status }) => void seen.add(status) },
  );
  expect(JSON.stringify(result.content)).toContain("joints");
  expect(asked).toHaveLength(1);
  expect(seen).toContain("working");
});
