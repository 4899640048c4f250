import { RpcError } from "@tenon/jsonrpc2";
import { defineMethod, ToolError, type Server } from "@tenon/mcp";
import type { Revision, SubscriptionFilter } from "@tenon/protocol";
import { createMemoryTaskStore, isTaskError } from "@tenon/tasks";
import type { StartedTask } from "@tenon/tasks/client";
import { modernRevision } from "@tenon/test-support";
import { expect, test } from "vitest";

import { cancelTask, getTask, updateTask } from "../src/wire/messages.ts";
import { connect, textOf } from "./pair.ts";

// The rules of the extension of 2026-07-28, on the wire.

const revision: Revision = modernRevision;
const extension = "io.modelcontextprotocol/tasks";
const form = { type: "object", properties: { name: { type: "string" } }, required: ["name"] } as const;
const declared = {
  extensions: { [extension]: {} },
  elicitation: { form: () => ({ action: "decline" as const }) },
};

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
  server.addTool({ name: "two", task: "optional" }, async (_, context) => {
    const ask = (key: string) => context.elicit({ message: key, requestedSchema: form }, { key });
    const outcomes = await Promise.all([ask("a"), ask("b")]);
    return JSON.stringify(outcomes.map(({ action }) => action));
  });
  server.addTool({ name: "endless", task: "optional" }, (_, { signal }) => {
    return new Promise<string>((_resolve, reject) => {
      signal.addEventListener("abort", () => {
        reject(signal.reason as Error);
      });
    });
  });
}

/** A client that declares the extension and takes what comes, as one of any make does. */
async function raw() {
  const pair = await connect({ revision, hasTasks: false, client: declared }, addTools);
  const call = async (name: string, more: object = {}): Promise<Record<string, unknown>> => {
    await pair.session.request("tools/call", { name, ...more }).catch(() => undefined);
    const last = pair.received.at(-1) as { readonly result: Record<string, unknown> };
    return last.result;
  };
  const get = async (taskId: unknown): Promise<Record<string, unknown>> =>
    pair.session.request(getTask, { taskId: String(taskId) });
  const ended = async (taskId: unknown): Promise<Record<string, unknown>> => {
    await expect.poll(async () => (await get(taskId))["status"]).not.toBe("working");
    return get(taskId);
  };
  return { ...pair, call, get, ended };
}

test("a request that does not declare the extension never gets a task (R-694)", async () => {
  const { session } = await connect({ revision, hasTasks: false }, addTools);
  expect(textOf(await session.callTool({ name: "quick" }))).toBe("quick");
  await expect(session.callTool({ name: "only" })).rejects.toMatchObject({
    code: -32_021,
    data: { requiredCapabilities: { extensions: { [extension]: {} } } },
  });
});

test("a client takes a task or a result of a call, and a task of nothing else (R-695)", async () => {
  const { session, server } = await connect({ revision }, (its) => {
    addTools(its);
    its.addPrompt({ name: "p" }, () => "text");
  });
  expect(textOf(await session.callTool({ name: "plain" }))).toBe("plain");
  expect(textOf(await session.callTool({ name: "quick" }))).toBe("quick");
  server.addReceivingMiddleware((next) => async (request) => {
    const result = await next(request);
    return request.method === "prompts/get" ? { ...(result as object), resultType: "task" } : result;
  });
  await expect(session.getPrompt({ name: "p" })).rejects.toThrow();
});

test("params.task has no effect, and no tool lists its support (R-696, R-708)", async () => {
  const { session, call } = await raw();
  expect(await call("plain", { task: {} })).toMatchObject({ resultType: "complete" });
  expect(await call("quick")).toMatchObject({ resultType: "task" });
  const { tools } = await session.listTools();
  expect(JSON.stringify(tools)).not.toContain("execution");
  expect(session.serverCapabilities).not.toHaveProperty("tasks");
});

test("a task has its fields, and can be read as soon as it is announced (R-697, R-698, R-699)", async () => {
  const { call, get, ended, session, received } = await raw();
  const task = await call("quick");
  expect(Object.keys(task).toSorted()).toEqual(
    [
      "_meta",
      "createdAt",
      "lastUpdatedAt",
      "pollIntervalMs",
      "resultType",
      "status",
      "taskId",
      "ttlMs",
    ].toSorted(),
  );
  expect(task).toMatchObject({ status: "working", ttlMs: 3_600_000, pollIntervalMs: 1 });
  expect(await get(task["taskId"])).toMatchObject({ taskId: task["taskId"] });
  expect(await ended(task["taskId"])).toMatchObject({
    status: "completed",
    result: { resultType: "complete", content: [{ text: "quick" }] },
  });
  expect(received.at(-1)).toMatchObject({ result: { resultType: "complete" } });
  for (const ask of [
    session.request(updateTask, { taskId: String(task["taskId"]), inputResponses: {} }),
    session.request(cancelTask, { taskId: String(task["taskId"]) }),
  ]) {
    expect(await ask).toEqual({});
  }
});

test("only errors of JSON-RPC make a task fail (R-700)", async () => {
  const { call, ended } = await raw();
  const wrong = await ended((await call("wrong"))["taskId"]);
  expect(wrong).toMatchObject({
    status: "completed",
    result: { resultType: "complete", isError: true },
  });
  const broken = await ended((await call("broken"))["taskId"]);
  expect(broken).toMatchObject({ status: "failed", error: { code: -32_050, message: "Broken" } });
  expect(broken).not.toHaveProperty("result");
});

test("input may be given in parts, twice, late and unasked (R-701)", async () => {
  const { call, get, ended, session } = await raw();
  const { taskId } = (await call("two")) as { readonly taskId: string };
  const asked = await ended(taskId);
  expect(asked["status"]).toBe("input_required");
  expect(Object.keys(asked["inputRequests"] as object)).toEqual(["a", "b"]);
  const give = (inputResponses: object) =>
    session.request(updateTask, { taskId, inputResponses: { ...inputResponses } });
  await give({ a: { action: "decline" }, unknown: { action: "decline" } });
  expect(Object.keys((await get(taskId))["inputRequests"] as object)).toEqual(["b"]);
  await give({ a: { action: "cancel" }, b: { action: "cancel" } });
  const done = await ended(taskId);
  expect(done).toMatchObject({
    status: "completed",
    result: { content: [{ text: '["decline","cancel"]' }] },
  });
  await give({ b: { action: "decline" } });
  expect(await get(taskId)).toEqual(done);
});

test("a client polls at the server's pace and answers each input request once (R-702)", async () => {
  const asked: string[] = [];
  const { session, sent } = await connect(
    {
      revision,
      client: {
        elicitation: {
          form: ({ message }) => {
            asked.push(message);
            return { action: "decline" };
          },
        },
      },
    },
    addTools,
  );
  const result = await session.callTool({ name: "two" });
  expect(textOf(result)).toBe('["decline","decline"]');
  expect(asked.toSorted()).toEqual(["a", "b"]);
  const updates = sent.filter((message) => "method" in message && message.method === "tasks/update");
  expect(updates).toHaveLength(2);
});

test("requests about tasks need a known ID and a declared extension (R-703)", async () => {
  const { session } = await raw();
  for (const ask of [
    session.request(getTask, { taskId: "nobody" }),
    session.request(updateTask, { taskId: "nobody", inputResponses: {} }),
    session.request(cancelTask, { taskId: "nobody" }),
  ]) {
    await expect(ask).rejects.toMatchObject({ code: -32_602 });
  }
  for (const method of ["tasks/result", "tasks/list"]) {
    const removed = defineMethod({ method, eras: ["modern"] });
    await expect(session.request(removed, { taskId: "nobody" })).rejects.toMatchObject({ code: -32_601 });
  }
  const plain = await connect({ revision, hasTasks: false }, addTools);
  await expect(plain.session.request(getTask, { taskId: "nobody" })).rejects.toMatchObject({ code: -32_021 });
  const filter = { taskIds: ["nobody"] } as SubscriptionFilter;
  await expect(plain.session.listen(filter, { onChange: () => {} })).rejects.toMatchObject({ code: -32_021 });
});

test("those who listen to a task get what tasks/get says, about it alone (R-705)", async () => {
  const { session, call, get, ended } = await raw();
  const { taskId } = (await call("two")) as { readonly taskId: string };
  const other = (await call("endless")) as { readonly taskId: string };
  await ended(taskId);
  const changes: { readonly method: string; readonly params: object }[] = [];
  const subscription = await session.listen({ taskIds: [taskId, "nobody"] } as SubscriptionFilter, {
    onChange: (change) => void changes.push(change),
  });
  expect(subscription.honoured).toEqual({ taskIds: [taskId] });
  await session.request(updateTask, {
    taskId,
    inputResponses: { a: { action: "decline" }, b: { action: "decline" } },
  });
  await session.request(cancelTask, { taskId: other.taskId });
  await expect
    .poll(() => changes.at(-1)?.params)
    .toMatchObject({ taskId, status: "completed", result: { resultType: "complete" } });
  expect(changes.every(({ method }) => method === "notifications/tasks")).toBe(true);
  expect(JSON.stringify(changes)).not.toContain(other.taskId);
  const { _meta, ...last } = { _meta: undefined, ...changes.at(-1)?.params };
  expect(await get(taskId)).toMatchObject(last);
  await subscription.close();
});

test("an aborted call cancels its task, and not the request that is over (R-706)", async () => {
  const { session, sent } = await connect({ revision }, addTools);
  const controller = new AbortController();
  const call = session.callTool(
    { name: "endless" },
    {
      signal: controller.signal,
      onTask: () => {
        controller.abort();
      },
    },
  );
  await expect(call).rejects.toThrow();
  await expect.poll(() => JSON.stringify(sent)).toContain("tasks/cancel");
  expect(JSON.stringify(sent)).not.toContain("notifications/cancelled");
});

test("IDs cannot be guessed, and every request asks who owns the task (R-707)", async () => {
  let owner = "ada";
  const { session } = await connect({ revision, tasks: { owner: () => owner } }, addTools);
  const started = await Promise.all(
    Array.from({ length: 100 }, () => session.tasks.start({ name: "quick" }) as Promise<StartedTask>),
  );
  const ids = new Set(started.map(({ task }) => task.id));
  expect(ids.size).toBe(100);
  // 128 bits are 22 characters of base64.
  expect([...ids].every((id) => id.length >= 22)).toBe(true);
  owner = "eve";
  for (const id of [...ids].slice(0, 3)) {
    for (const ask of [session.tasks.get(id), session.tasks.cancel(id), session.tasks.update(id, {})]) {
      await expect(ask).rejects.toMatchObject({ code: "TASK_LOST" });
    }
    const filter = { taskIds: [id] } as SubscriptionFilter;
    await using subscription = await session.listen(filter, { onChange: () => {} });
    expect(subscription.honoured).toEqual({ taskIds: [] });
  }
});

test("if the store is full, an optional task runs in its request, and a required one fails", async () => {
  const store = createMemoryTaskStore({ limits: { maxTasks: 1 } });
  const { session, errors } = await connect({ revision, engine: { store, onError: () => {} } }, addTools);
  await session.tasks.start({ name: "endless" });
  expect(textOf(await session.callTool({ name: "quick" }))).toBe("quick");
  expect(errors.some((error) => isTaskError(error, "STORE_FULL"))).toBe(true);
  await expect(session.callTool({ name: "only" })).rejects.toMatchObject({ code: 429 });
});
