import { isRpcError, RpcError } from "@tenon/jsonrpc2";
import { Client, Server, ToolError, type ClientSession } from "@tenon/mcp";
import { revisions, type Revision } from "@tenon/protocol";
import { legacyRevision, modernRevision } from "@tenon/test-support";
import { createInMemoryTransports } from "@tenon/transports-memory";
import { expect, onTestFinished, test } from "vitest";

import { connect, textOf } from "./pair.ts";

// The rules of the core feature of 2025-11-25, on the wire.

const revision: Revision = legacyRevision;
const form = { type: "object", properties: { name: { type: "string" } }, required: ["name"] } as const;
const related = "io.modelcontextprotocol/related-task";

function addTools(server: Server): void {
  server.addTool({ name: "plain" }, () => "plain");
  server.addTool({ name: "quick", task: "optional" }, () => "quick");
  server.addTool({ name: "only", task: "required" }, () => "only");
  server.addTool({ name: "wrong", task: "optional" }, () => {
    throw new ToolError("wrong");
  });
  server.addTool({ name: "broken", task: "optional" }, () => {
    throw new RpcError(-32_050, "Broken");
  });
  server.addTool({ name: "ask", task: "optional" }, async (_, context) => {
    const outcome = await context.elicit({ message: "Name?", requestedSchema: form });
    return JSON.stringify(outcome);
  });
  server.addTool({ name: "endless", task: "optional" }, () => new Promise<string>(() => {}));
}

interface SentTask {
  readonly taskId: string;
  readonly status: string;
  readonly createdAt: string;
  readonly lastUpdatedAt: string;
  readonly ttl: number | null;
  readonly pollInterval: number;
}

/** Calls a tool with `params.task`, as a client of any make does. */
async function augment(session: ClientSession, name: string, task: object = {}): Promise<SentTask> {
  const result: object = await session.request("tools/call", { name, task } as never);
  return (result as { readonly task: SentTask }).task;
}

async function ended(session: ClientSession, taskId: string): Promise<string> {
  await expect.poll(async () => (await session.request("tasks/get", { taskId })).status).not.toBe("working");
  return (await session.request("tasks/get", { taskId })).status;
}

test("a call with params.task gets a task, which begins as working (R-671, R-674, R-675)", async () => {
  const { session } = await connect({ revision, hasTasks: false }, addTools);
  const before = Date.now();
  const first = await augment(session, "quick", { ttl: 90_000 });
  const second = await augment(session, "quick");
  expect(first).toMatchObject({ status: "working", ttl: 90_000, pollInterval: 1 });
  expect(first.taskId).not.toBe(second.taskId);
  for (const time of [first.createdAt, first.lastUpdatedAt]) {
    expect(new Date(time).toISOString()).toBe(time);
    expect(Date.parse(time)).toBeGreaterThanOrEqual(before - 1000);
  }
  expect(await ended(session, first.taskId)).toBe("completed");
  const read = await session.request("tasks/get", { taskId: first.taskId });
  expect(read).toMatchObject({ createdAt: first.createdAt, ttl: 90_000 });
});

test("a tool without tasks refuses params.task, in the revision that has it (R-672)", async () => {
  const call = { name: "plain", task: {} } as never;
  const { session } = await connect({ revision, hasTasks: false }, addTools);
  await expect(session.request("tools/call", call)).rejects.toMatchObject({ code: -32_601 });
  const older = revisions.filter((each) => each < revision).toSorted();
  for (const other of [...older, modernRevision]) {
    const { session: free } = await connect({ revision: other, hasTasks: false }, addTools);
    const result: object = await free.request("tools/call", call);
    expect(result).toMatchObject({ content: [{ text: "plain" }] });
  }
});

test("a server that declares no tasks ignores params.task (R-670)", async () => {
  const server = new Server({ name: "server", version: "1.0.0" });
  server.addTool({ name: "plain" }, () => "plain");
  const client = new Client({ name: "client", version: "1.0.0" }, { revisions: [revision] });
  const [here, there] = createInMemoryTransports();
  await server.connect(there);
  const session = await client.connect(here);
  onTestFinished(() => client.close());
  const result: object = await session.request("tools/call", { name: "plain", task: {} } as never);
  expect(result).toMatchObject({ content: [{ text: "plain" }] });
});

test("a tool that requires a task refuses a call without one (R-672)", async () => {
  const { session } = await connect({ revision, hasTasks: false }, addTools);
  await expect(session.callTool({ name: "only" })).rejects.toMatchObject({ code: -32_601 });
});

test("a client augments only calls of tools that are listed with tasks (R-481, R-672)", async () => {
  const { session, sent } = await connect({ revision }, addTools);
  await session.listTools();
  for (const name of ["plain", "quick", "only"]) {
    await session.callTool({ name });
    await session.callTool({ name }, { task: "prefer" });
    await session.callTool({ name: "plain" }, { task: "prefer" });
  }
  const calls = sent as readonly {
    readonly method?: string;
    readonly params: { readonly name: string; readonly task?: object };
  }[];
  const augmented = calls
    .filter(({ method, params }) => method === "tools/call" && params.task !== undefined)
    .map(({ params }) => params.name);
  expect(augmented).toEqual(["quick", "only", "only"]);
});

test("tasks/result waits for the end, and returns what the call would have (R-676, R-679)", async () => {
  const { session } = await connect({ revision, hasTasks: false }, addTools);
  const { taskId } = await augment(session, "quick");
  const result: object = await session.request("tasks/result", { taskId });
  expect(result).toMatchObject({ content: [{ text: "quick" }], _meta: { [related]: { taskId } } });
  const broken = await augment(session, "broken");
  await expect(session.request("tasks/result", { taskId: broken.taskId })).rejects.toMatchObject({
    code: -32_050,
    message: "Broken",
  });
  expect(await session.request("tasks/get", { taskId })).not.toHaveProperty("_meta");
});

test("a result with isError is a failed task (R-677)", async () => {
  const { session } = await connect({ revision, hasTasks: false }, addTools);
  const { taskId } = await augment(session, "wrong");
  expect(await ended(session, taskId)).toBe("failed");
  expect(await session.request("tasks/result", { taskId })).toMatchObject({ isError: true });
});

test("input is requested on the stream of tasks/result, related to its task (R-678, R-679)", async () => {
  const asked: unknown[] = [];
  const { session, received } = await connect(
    {
      revision,
      hasTasks: false,
      client: {
        elicitation: {
          form: ({ message }) => {
            asked.push(message);
            return { action: "accept", content: { name: "Ada" } };
          },
        },
      },
    },
    addTools,
  );
  const { taskId } = await augment(session, "ask");
  expect(await ended(session, taskId)).toBe("input_required");
  expect(asked).toEqual([]);
  const results = await Promise.all([
    session.request("tasks/result", { taskId }),
    session.request("tasks/result", { taskId }),
  ]);
  expect(results.map((result) => JSON.stringify(result))).toEqual([
    expect.stringContaining("Ada"),
    expect.stringContaining("Ada"),
  ]);
  expect(asked).toEqual(["Name?"]);
  const request = received.find((message) => "method" in message && message.method === "elicitation/create");
  expect(request).toMatchObject({ params: { _meta: { [related]: { taskId } } } });
});

test("a cancelled task is cancelled at once, and for good (R-680)", async () => {
  const { session } = await connect({ revision, hasTasks: false }, addTools);
  const { taskId } = await augment(session, "endless");
  const waiting = session.request("tasks/result", { taskId }).catch((error: unknown) => error);
  expect(await session.request("tasks/cancel", { taskId })).toMatchObject({ taskId, status: "cancelled" });
  expect(isRpcError(await waiting)).toBe(true);
  expect(await session.request("tasks/get", { taskId })).toMatchObject({ status: "cancelled" });
  await expect(session.request("tasks/cancel", { taskId })).rejects.toMatchObject({ code: -32_602 });
});

test("unknown IDs and bad cursors are refused, and every task of its owner is listed (R-681, R-683)", async () => {
  let owner = "ada";
  const { session } = await connect({ revision, hasTasks: false, tasks: { owner: () => owner } }, addTools);
  const ids = [(await augment(session, "quick")).taskId, (await augment(session, "endless")).taskId];
  for (const method of ["tasks/get", "tasks/result", "tasks/cancel"] as const) {
    await expect(session.request(method, { taskId: "nobody" })).rejects.toMatchObject({ code: -32_602 });
  }
  await expect(session.request("tasks/list", { cursor: "bad" })).rejects.toMatchObject({ code: -32_602 });
  const listed = await session.request("tasks/list");
  expect(listed.tasks.map(({ taskId }) => taskId).toSorted()).toEqual(ids.toSorted());
  owner = "bob";
  expect((await session.request("tasks/list")).tasks).toEqual([]);
  for (const method of ["tasks/get", "tasks/result", "tasks/cancel"] as const) {
    await expect(session.request(method, { taskId: ids[0] ?? "" })).rejects.toMatchObject({ code: -32_602 });
  }
});

test("a client follows a task without any notification (R-682)", async () => {
  const rewrite = (message: object): object =>
    "method" in message ? { ...message, method: "notifications/unknown" } : message;
  const { session, received } = await connect({ revision, rewrite }, addTools);
  await session.listTools();
  expect(textOf(await session.callTool({ name: "only" }))).toBe("only");
  expect(JSON.stringify(received)).not.toContain("notifications/tasks/status");
});
