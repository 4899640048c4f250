import { RpcError } from "@tenon/jsonrpc2";
import type { Server } from "@tenon/mcp";
import { createMemoryTaskStore, createTaskEngine } from "@tenon/tasks";
import type { StartedTask } from "@tenon/tasks/client";
import { tasks } from "@tenon/tasks/server";
import { legacyRevision, modernRevision } from "@tenon/test-support";
import { expect, test } from "vitest";

import { getTask, idempotencyKey } from "../src/wire/messages.ts";
import { connect, textOf } from "./pair.ts";

// The options of a tool and of a call that decide when, how often and in which form a task runs.

const form = { type: "object", properties: { name: { type: "string" } }, required: ["name"] } as const;
const patient = { mode: "required", inlineMs: 600_000 } as const;
const hasty = { mode: "required", inlineMs: 1 } as const;
const owner = (): string => "ada";

function addTools(server: Server): void {
  server.addTool({ name: "quick", task: patient }, () => "quick");
  server.addTool({ name: "broken", task: patient }, () => {
    throw new RpcError(-32_050, "Broken");
  });
  server.addTool({ name: "asking", task: patient }, async (_, context) => {
    const { action } = await context.elicit({ message: "Name?", requestedSchema: form });
    return action;
  });
  for (const [name, task] of Object.entries({ slow: hasty, waiting: patient })) {
    server.addTool(
      { name, task },
      (_, { signal }) =>
        new Promise<string>((_resolve, reject) => {
          signal.addEventListener("abort", () => {
            reject(signal.reason as Error);
          });
        }),
    );
  }
}

const client = { elicitation: { form: () => ({ action: "decline" as const }) } };

test("a call whose task ends within inlineMs has its result or its error at once", async () => {
  const { session, received } = await connect({ revision: modernRevision, client }, addTools);
  expect(textOf(await session.callTool({ name: "quick" }))).toBe("quick");
  await expect(session.callTool({ name: "broken" })).rejects.toMatchObject({ code: -32_050 });
  expect(JSON.stringify(received)).not.toContain('"resultType":"task"');
});

test("a call whose task takes longer than inlineMs, or requires input, gets the task", async () => {
  const { session } = await connect({ revision: modernRevision, client }, addTools);
  const slow = (await session.tasks.start({ name: "slow" })) as StartedTask;
  expect(slow.task.status).toBe("working");
  await slow.cancel();
  const asking = (await session.tasks.start({ name: "asking" })) as StartedTask;
  expect(textOf(await asking.result())).toBe("decline");
});

test("a call that is cancelled within inlineMs cancels its task", async () => {
  const { session, engine } = await connect({ revision: modernRevision, client, tasks: { owner } }, addTools);
  const abort = new AbortController();
  const call = session.callTool({ name: "waiting" }, { signal: abort.signal });
  await expect.poll(async () => (await engine.list("ada")).tasks.length).toBe(1);
  abort.abort(new Error("enough"));
  await expect(call).rejects.toThrow("enough");
  await expect.poll(async () => (await engine.list("ada")).tasks[0]?.state).toBe("cancelled");
});

test("a call of a legacy client that asks for a task gets it, whatever inlineMs is, with a text for the model", async () => {
  const { session, received } = await connect({ revision: legacyRevision, client }, (server) => {
    server.addTool({ name: "report", task: { ...patient, immediate: "It takes an hour." } }, () => "done");
  });
  const started = (await session.tasks.start({ name: "report" })) as StartedTask;
  expect(received).toContainEqual(
    expect.objectContaining({
      result: {
        task: expect.objectContaining({ taskId: started.task.id }),
        _meta: { "io.modelcontextprotocol/model-immediate-response": "It takes an hour." },
      },
    }),
  );
  expect(textOf(await started.result())).toBe("done");
});

test("a call that is repeated with its key gets the same task, and prepare runs once", async () => {
  let prepared = 0;
  const { session, engine } = await connect(
    { revision: modernRevision, client, tasks: { owner } },
    (server) => {
      server.addTool(
        {
          name: "job",
          input: { type: "object", properties: { n: { type: "number" } } } as const,
          task: { mode: "optional", prepare: () => ++prepared },
        },
        (_, context) => String(context.task?.prepared),
      );
    },
  );
  const start = async (n: number, key?: string): Promise<StartedTask> =>
    (await session.tasks.start({ name: "job", arguments: { n } }, { idempotencyKey: key })) as StartedTask;
  const first = await start(1, "k");
  expect((await start(1, "k")).task.id).toBe(first.task.id);
  expect(prepared).toBe(1);
  expect(textOf(await session.callTool({ name: "job", arguments: { n: 1 } }, { idempotencyKey: "k" }))).toBe(
    "1",
  );
  expect((await start(1, "other")).task.id).not.toBe(first.task.id);
  expect((await start(1)).task.id).not.toBe(first.task.id);
  await expect(start(2, "k")).rejects.toMatchObject({ code: -32_602 });
  for (const key of ["", "x".repeat(257), 3]) {
    const wrong = { name: "job", _meta: { [idempotencyKey]: key } };
    await expect(session.callTool(wrong)).rejects.toMatchObject({ code: -32_602 });
  }
  expect((await engine.list("ada")).tasks).toHaveLength(3);
});

test("keys of users are apart, and have no effect where users are not known", async () => {
  await using engine = createTaskEngine();
  const definition = { name: "job", version: "1" };
  const start = (principal: string): Promise<{ readonly id: string }> =>
    engine.start({ definition, principal, key: "k" });
  const [ada, ben, again] = [await start("ada"), await start("ben"), await start("ada")];
  expect(again.id).toBe(ada.id);
  expect(ben.id).not.toBe(ada.id);
  await expect(start("")).rejects.toThrow("principal");
  const { session } = await connect({ revision: modernRevision, client }, addTools);
  const begin = (): Promise<unknown> =>
    session.tasks
      .start({ name: "asking" }, { idempotencyKey: "k" })
      .then((task) => (task as StartedTask).task.id);
  expect(await begin()).not.toBe(await begin());
});

test("the result of a task is validated against the listed output schema", async () => {
  const { session, server } = await connect({ revision: modernRevision, client }, (its) => {
    its.addTool(
      {
        name: "typed",
        task: "required",
        output: { type: "object", properties: { n: { type: "number" } }, required: ["n"] } as const,
      },
      () => ({ n: 1 }),
    );
  });
  server.addReceivingMiddleware((next) => async (request) => {
    const result = (await next(request)) as { readonly result?: object };
    return request.method === "tasks/get" && result.result !== undefined
      ? { ...result, result: { ...result.result, structuredContent: { n: "one" } } }
      : result;
  });
  await session.listTools();
  await expect(session.callTool({ name: "typed" })).rejects.toThrow(/outputSchema|output schema/);
});

test("with minPollMs, a client that polls faster is told when to come again", async () => {
  const { session } = await connect(
    { revision: modernRevision, client, tasks: { limits: { minPollMs: 60_000 } } },
    addTools,
  );
  const { task } = (await session.tasks.start({ name: "asking" })) as StartedTask;
  const poll = (): Promise<unknown> => session.request(getTask, { taskId: task.id });
  await poll();
  const refused: unknown = await poll().catch((error: unknown) => error);
  expect(refused).toMatchObject({ code: -32_603 });
  const { retryAfterMs } = (refused as RpcError).data as { readonly retryAfterMs: number };
  expect(retryAfterMs).toBeGreaterThan(50_000);
  await expect(session.request(getTask, { taskId: "t_unknown" })).rejects.toMatchObject({ code: -32_602 });
});

test("options that do not exist are refused", async () => {
  await using engine = createTaskEngine();
  expect(() => tasks({ engine, ovner: owner } as never)).toThrow("owner");
  expect(() => tasks({ engine, limits: { minPollMs: -1 } })).toThrow("minPollMs");
});

test("an engine that may run nothing leaves its tasks to another", async () => {
  await using store = createMemoryTaskStore();
  const definition = { name: "job", version: "1", run: () => "done" };
  await using front = createTaskEngine({ store, limits: { maxRunning: 0 } });
  const { id } = await front.start({ definition });
  expect((await front.get(id, ""))?.state).toBe("working");
  await using worker = createTaskEngine({ store });
  await worker.resume({ definitions: [definition] });
  expect((await front.result(id, ""))?.outcome).toEqual({ result: "done" });
});
