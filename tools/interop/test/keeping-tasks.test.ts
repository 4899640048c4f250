import { Client as ClientV2 } from "@modelcontextprotocol/client";
import {
  createTaskSessionFromClient,
  resultFromTaskOutcome,
  toolDeclarationFromMcpTool,
  type RawClientDispatch,
} from "@modelcontextprotocol/ext-tasks/client";
import { bindTaskReceiver } from "@modelcontextprotocol/ext-tasks/receiver";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { InMemoryTaskStore } from "@modelcontextprotocol/sdk/experimental/tasks/stores/in-memory.js";
import { Server as ServerV1 } from "@modelcontextprotocol/sdk/server/index.js";
import { ElicitRequestSchema, ElicitResultSchema } from "@modelcontextprotocol/sdk/types.js";
import type { Transport } from "@tenon/jsonrpc2";
import { Client } from "@tenon/sdk/client";
import { createInMemoryTransports } from "@tenon/sdk/memory";
import { Server, ToolError } from "@tenon/sdk/server";
import { createTaskEngine } from "@tenon/tasks";
import { taskClient } from "@tenon/tasks/client";
import { tasks } from "@tenon/tasks/server";
import { modernRevision } from "@tenon/test-support";
import { expect, onTestFinished, test } from "vitest";

import { bridge } from "./memory/bridge.ts";

// Tasks of both eras against ext-tasks, and tasks of 2025-11-25 against clients and servers of
// version 1 that keep their own.

const form = { type: "object", properties: { name: { type: "string" } }, required: ["name"] } as const;
const question = { message: "Name?", requestedSchema: form } as const;

function serveTasks(): Server {
  const engine = createTaskEngine({ limits: { pollIntervalMs: 1 } });
  const server = new Server({ name: "server", version: "1.0.0" });
  server.use(tasks({ engine }));
  server.addTool({ name: "report", task: "optional" }, async (_, { task, progress }) => {
    await progress(1, 2, "half");
    return task === undefined ? "in the request" : "in a task";
  });
  server.addTool({ name: "endless", task: "required" }, (_, { signal }) => {
    return new Promise<string>((_resolve, reject) => {
      signal.addEventListener("abort", () => {
        reject(signal.reason as Error);
      });
    });
  });
  server.addTool({ name: "ask" }, async (_, context) => {
    let last = "";
    const onTask = ({ status }: { readonly status: string }): void => void (last = status);
    const outcome = await context.elicit(question, { task: { ttlMs: 60_000 }, onTask });
    return JSON.stringify([outcome, last]);
  });
  onTestFinished(async () => {
    await server.close({ drainMs: 0 });
    await engine.close({ drainMs: 0 });
  });
  return server;
}

async function reach(server: Server): Promise<Transport> {
  const [here, there] = createInMemoryTransports();
  await server.connect(there);
  return here;
}

async function serve(): Promise<ReturnType<typeof bridge>> {
  return bridge(await reach(serveTasks()));
}

const kept = [{ action: "accept", content: { name: "Ada" } }, "completed"];

// It requests the result only once a task has ended, so that a task of ours never gets its input.
test("the client of ext-tasks follows and cancels our tasks of 2025-11-25", async () => {
  const client = new ClientV2({ name: "ext", version: "1.0.0" }, { versionNegotiation: { mode: "legacy" } });
  await client.connect((await serve()) as never);
  onTestFinished(() => client.close());
  const { tools } = await client.listTools();
  expect(tools.find(({ name }) => name === "report")?.execution).toEqual({ taskSupport: "optional" });
  const session = createTaskSessionFromClient(client, {
    endpointId: "ours",
    tools: {
      currentTool: (wanted) => {
        const tool = tools.find(({ name }) => name === wanted);
        return tool && toolDeclarationFromMcpTool(tool);
      },
    },
  });
  for (const [preference, where] of [
    ["require", "in a task"],
    ["forbid", "in the request"],
  ] as const) {
    const call = await session.callTool("report", {}, { task: { preference } });
    const { outcome } = await call.settle();
    expect(JSON.stringify(resultFromTaskOutcome(outcome))).toContain(where);
  }
  const endless = await session.callTool("endless", {}, { task: { preference: "require" } });
  await endless.cancel();
  const ended = await endless.settle().catch((error: unknown) => String(error));
  expect(JSON.stringify(ended)).toMatch(/cancel/i);
  await session.close();
});

// The client of version 2 refuses messages of extensions, so ext-tasks sends them past it.
test("the client of ext-tasks follows, answers and cancels our tasks of 2026-07-28", async () => {
  const server = serveTasks();
  server.addTool({ name: "greet", task: "required" }, async (_, context) => {
    const outcome = await context.elicit(question);
    return outcome.action === "accept" ? `Hello, ${outcome.content.name}` : outcome.action;
  });
  server.addTool({ name: "fails", task: "required" }, () => Promise.reject(new ToolError("no paper")));
  const clientInfo = { name: "ext", version: "1.0.0" };
  const client = new ClientV2(clientInfo, { versionNegotiation: { mode: "auto" } });
  await client.connect(bridge(await reach(server)) as never);
  const connection = await (await reach(server)).connect();
  onTestFinished(async () => {
    await client.close();
    await connection.close();
  });
  const waiting = new Map<unknown, (response: never) => void>();
  void (async () => {
    for (let message = await connection.read(); message !== undefined; message = await connection.read()) {
      if ("id" in message && !("method" in message)) {
        waiting.get(message.id)?.(message as never);
      }
    }
  })();
  let ids = 0;
  const rawDispatch: RawClientDispatch = async (request) => {
    const id = ++ids;
    const response = new Promise<never>((resolve) => waiting.set(id, resolve));
    await connection.write({ jsonrpc: "2.0", id, ...(request as { readonly method: string }) });
    return response;
  };
  const clientCapabilities = {
    elicitation: { form: {} },
    extensions: { "io.modelcontextprotocol/tasks": {} },
  };
  const session = createTaskSessionFromClient(client, {
    endpointId: "ours",
    rawDispatch,
    v2RequestFraming: { protocolVersion: modernRevision, clientInfo, clientCapabilities },
    onInputRequest: () => Promise.resolve({ action: "accept", content: { name: "Ada" } } as never),
  });
  const settled = async (name: string): Promise<string> => {
    const call = await session.callTool(name, {}, { task: { preference: "require" } });
    const { outcome } = await call.settle();
    return JSON.stringify(resultFromTaskOutcome(outcome));
  };
  expect(await settled("report")).toContain("in a task");
  expect(await settled("fails")).toContain("no paper");
  expect(await settled("greet")).toContain("Hello, Ada");
  const endless = await session.callTool("endless", {}, { task: { preference: "require" } });
  await endless.cancel();
  const ended = await endless.settle().catch((error: unknown) => String(error));
  expect(JSON.stringify(ended)).toMatch(/cancel/i);
  await session.close();
});

test("a client with the receiver of ext-tasks keeps our question as a task", async () => {
  const client = new ClientV2(
    { name: "ext", version: "1.0.0" },
    { capabilities: { elicitation: { form: {} } }, versionNegotiation: { mode: "legacy" } },
  );
  const receiver = bindTaskReceiver(client, {
    methods: { "elicitation/create": true },
    pollIntervalMs: 1,
    elicitation: () => Promise.resolve({ action: "accept", content: { name: "Ada" } }),
  });
  client.registerCapabilities({ tasks: receiver.capabilities } as never);
  await client.connect((await serve()) as never);
  onTestFinished(async () => {
    receiver.close();
    await client.close();
  });
  const result = await client.callTool({ name: "ask", arguments: {} });
  expect(JSON.parse((result.content as { readonly text: string }[])[0]?.text ?? "")).toEqual(kept);
});

test("the official client, version 1, keeps our question as a task", async () => {
  const client = new ClientV1(
    { name: "official", version: "1.0.0" },
    {
      capabilities: {
        elicitation: { form: {} },
        tasks: { requests: { elicitation: { create: {} } } },
      },
      taskStore: new InMemoryTaskStore(),
    },
  );
  client.setRequestHandler(ElicitRequestSchema, async ({ params }, { taskStore, taskRequestedTtl }) => {
    const answer = { action: "accept", content: { name: "Ada" } } as const;
    if (params.task === undefined || taskStore === undefined) {
      return answer;
    }
    const task = await taskStore.createTask({ ttl: taskRequestedTtl ?? null, pollInterval: 1 });
    await taskStore.storeTaskResult(task.taskId, "completed", answer);
    return { task };
  });
  await client.connect((await serve()) as never);
  onTestFinished(() => client.close());
  const result = await client.callTool({ name: "ask", arguments: {} });
  expect(JSON.parse((result.content as { readonly text: string }[])[0]?.text ?? "")).toEqual(kept);
});

test("our client keeps the question of the official server, version 1, as a task", async () => {
  const server = new ServerV1({ name: "official", version: "1.0.0" }, { capabilities: {} });
  const [here, there] = createInMemoryTransports();
  await server.connect(bridge(there) as never);
  const engine = createTaskEngine({ limits: { pollIntervalMs: 1 } });
  const client = new Client(
    { name: "ours", version: "1.0.0" },
    {
      revisions: ["2025-11-25"],
      elicitation: { form: () => ({ action: "accept", content: { name: "Ada" } }) },
    },
  );
  client.use(taskClient({ engine }));
  await client.connect(here);
  onTestFinished(async () => {
    await client.close();
    await engine.close({ drainMs: 0 });
  });
  const types: string[] = [];
  let result: unknown;
  const stream = server.experimental.tasks.requestStream(
    { method: "elicitation/create", params: { ...question, mode: "form" } as never },
    ElicitResultSchema,
    { task: { ttl: 60_000 } },
  );
  for await (const message of stream) {
    types.push(message.type);
    result = "result" in message ? message.result : result;
  }
  expect(types[0]).toBe("taskCreated");
  expect(result).toMatchObject({ action: "accept", content: { name: "Ada" } });
});
