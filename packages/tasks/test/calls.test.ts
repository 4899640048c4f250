import { isRpcError, RpcError } from "@tenon/jsonrpc2";
import { ToolError, type Server } from "@tenon/mcp";
import { revisions as published, type Revision } from "@tenon/protocol";
import type { BackendState } from "@tenon/tasks";
import { isTaskCallError, type StartedTask, type RemoteTask } from "@tenon/tasks/client";
import { legacyRevision, modernRevision } from "@tenon/test-support";
import { expect, test } from "vitest";

import { connect, textOf } from "./pair.ts";

const revisions: readonly Revision[] = [legacyRevision, modernRevision];
/** The newest revision without tasks. */
const olderRevision =
  published
    .filter((each) => each < legacyRevision)
    .toSorted()
    .at(-1) ?? legacyRevision;
const form = { type: "object", properties: { name: { type: "string" } }, required: ["name"] } as const;
const handlers = {
  elicitation: {
    form: ({ message }: { readonly message: string }) => ({
      action: "accept" as const,
      content: { name: message.slice(0, 1) },
    }),
  },
};

function addTools(server: Server): void {
  server.addTool(
    { name: "report", task: "optional", input: { type: "object", properties: { of: { type: "string" } } } },
    async ({ of }, { task, progress }) => {
      await progress(1, 2, "reading");
      return `${of} in ${task === undefined ? "the request" : "a task"}`;
    },
  );
  server.addTool({ name: "only", task: "required" }, (_, { task }) => `attempt ${task?.attempt}`);
  server.addTool({ name: "wrong", task: "required" }, () => {
    throw new ToolError("It went wrong.");
  });
  server.addTool({ name: "broken", task: "required" }, () => {
    throw new RpcError(-32_050, "Broken", { data: { why: "x" } });
  });
  server.addTool({ name: "bug", task: "required" }, () => {
    throw new Error("secret");
  });
  server.addTool({ name: "ask", task: "required" }, async (_, context) => {
    const once = await context.step("roll", () => ++rolls);
    const first = await context.elicit({ message: "First", requestedSchema: form });
    const [second, third] = await Promise.all([
      context.elicit({ message: "Second", requestedSchema: form }, { key: "second" }),
      context.elicit({ message: "Third", requestedSchema: form }, { key: "third" }),
    ]);
    const names = [first, second, third].map((outcome) =>
      outcome.action === "accept" ? outcome.content.name : outcome.action,
    );
    return `${names.join("")} ${once}`;
  });
  server.addTool({ name: "endless", task: "required" }, (_, { signal }) => {
    return new Promise<string>((_resolve, reject) => {
      signal.addEventListener("abort", () => {
        reject(signal.reason as Error);
      });
    });
  });
}
let rolls = 0;

test.each(revisions)("a call that becomes a task returns the result of the tool (%s)", async (revision) => {
  const { session } = await connect({ revision }, addTools);
  await session.listTools();
  const seen: RemoteTask[] = [];
  const options = { task: "prefer", onTask: (task: RemoteTask) => void seen.push(task) } as const;
  const result = await session.callTool({ name: "report", arguments: { of: "all" } }, options);
  expect(textOf(result)).toBe("all in a task");
  expect(seen.at(0)).toMatchObject({ status: "working", pollIntervalMs: 1 });
  expect(seen.every(({ id }) => id === seen[0]?.id && id.length >= 22)).toBe(true);
  expect(textOf(await session.callTool({ name: "only" }))).toBe("attempt 1");
});

test.each(revisions)(
  "a client without tasks gets the result of its request, or an error (%s)",
  async (revision) => {
    const { session } = await connect({ revision, hasTasks: false }, addTools);
    const result = await session.callTool({ name: "report", arguments: { of: "all" } });
    expect(textOf(result)).toBe("all in the request");
    const refused: unknown = await session.callTool({ name: "only" }).catch((error: unknown) => error);
    expect(isRpcError(refused) && refused.code).toBe(revision === legacyRevision ? -32_601 : -32_021);
  },
);

test.each(revisions)(
  "the signal of an input request takes it back in a task, and nobody is asked (%s)",
  async (revision) => {
    const messages: string[] = [];
    const elicitation = {
      form: ({ message }: { readonly message: string }) => {
        messages.push(message);
        return { action: "decline" as const };
      },
    };
    const { session } = await connect({ revision, client: { elicitation } }, (server) =>
      server.addTool({ name: "taken", task: "required" }, async (_, context) => {
        const stop = new AbortController();
        const work = context.step("slow", async () => {
          await new Promise((resolve) => {
            setImmediate(resolve);
          });
          stop.abort(new Error("too late"));
          return "done";
        });
        const aborted = await context
          .elicit({ message: "?", requestedSchema: form }, { signal: stop.signal })
          .then(
            () => "answered",
            (error: unknown) => (error as Error).message,
          );
        return `${aborted}, ${await work}`;
      }),
    );
    await session.listTools();
    expect(textOf(await session.callTool({ name: "taken" }))).toBe("too late, done");
    expect(messages).toEqual([]);
  },
);

test.each(revisions)("a call may refuse to become a task (%s)", async (revision) => {
  const { session } = await connect({ revision }, addTools);
  const call = { name: "report", arguments: { of: "all" } };
  expect(textOf(await session.callTool(call, { task: "never" }))).toBe("all in the request");
});

test("a revision without tasks runs the tool in the request", async () => {
  const { session } = await connect({ revision: olderRevision }, addTools);
  expect(textOf(await session.callTool({ name: "report" }))).toBe("undefined in the request");
  await expect(session.callTool({ name: "only" })).rejects.toMatchObject({ code: -32_601 });
  await expect(session.tasks.get("x")).rejects.toMatchObject({ code: "NO_TASKS" });
});

test.each(revisions)("only the legacy era lists which tools support tasks (%s)", async (revision) => {
  const { session } = await connect({ revision }, addTools);
  const { tools } = await session.listTools();
  const support = tools.map(
    (tool) => (tool as { execution?: { taskSupport?: string } }).execution?.taskSupport,
  );
  const isLegacy = revision === legacyRevision;
  expect(support[0]).toBe(isLegacy ? "required" : undefined);
  expect(support.at(-1)).toBe(isLegacy ? "required" : undefined);
  expect(session.serverCapabilities).toMatchObject(
    isLegacy
      ? { tasks: { cancel: {}, requests: { tools: { call: {} } } } }
      : { extensions: { "io.modelcontextprotocol/tasks": {} } },
  );
  expect(session.serverCapabilities).not.toHaveProperty(isLegacy ? "extensions" : "tasks");
});

test.each(revisions)("errors of a task are those of the call (%s)", async (revision) => {
  const { session } = await connect({ revision }, addTools);
  await session.listTools();
  expect(await session.callTool({ name: "wrong" })).toMatchObject({ isError: true });
  await expect(session.callTool({ name: "broken" })).rejects.toMatchObject({
    code: -32_050,
    message: "Broken",
    data: { why: "x" },
  });
  const bug = await session.callTool({ name: "bug" });
  expect(JSON.stringify(bug)).toContain("The tool failed.");
  expect(JSON.stringify(bug)).not.toContain("secret");
});

test.each(revisions)(
  "questions park the task, and the client's handlers answer them (%s)",
  async (revision) => {
    rolls = 0;
    const { session, errors } = await connect({ revision, client: handlers }, addTools);
    await session.listTools();
    const seen: string[] = [];
    const result = await session.callTool(
      { name: "ask" },
      { onTask: ({ status }) => void seen.push(status) },
    );
    expect(textOf(result)).toBe("FST 1");
    expect(rolls).toBe(1);
    expect(errors).toEqual([]);
  },
);

test.each(revisions)("a started task is read, watched, and has its result later (%s)", async (revision) => {
  const { session } = await connect({ revision, client: handlers }, addTools);
  const started = (await session.tasks.start({ name: "report", arguments: { of: "all" } })) as StartedTask;
  const { id } = started.task;
  expect(started.reference).toEqual({ taskId: id, era: session.era });
  const states: string[] = [];
  for await (const { status } of started.watch()) {
    states.push(status);
  }
  expect(states.at(-1)).toBe("completed");
  expect(await session.tasks.get(id)).toMatchObject({ id, status: "completed" });
  expect(textOf(await started.result())).toBe("all in a task");
  const again = await session.tasks.resume(structuredClone(started.reference));
  expect(textOf(await again.result())).toBe("all in a task");
  const other = { taskId: id, era: session.era === "modern" ? "legacy" : "modern" } as const;
  await expect(session.tasks.resume(other)).rejects.toThrow("belongs to the");
  await expect(session.tasks.resume({} as never)).rejects.toThrow("a taskId and an era");
});

test.each(revisions)("a cancelled task has no result (%s)", async (revision) => {
  const { session } = await connect({ revision }, addTools);
  const started = (await session.tasks.start({ name: "endless" })) as StartedTask;
  const result = started.result().catch((error: unknown) => error);
  await started.cancel();
  expect(isTaskCallError(await result, "TASK_CANCELLED")).toBe(true);
  expect(await session.tasks.get(started.task.id)).toMatchObject({ status: "cancelled" });
  const again = started.cancel();
  await (revision === legacyRevision
    ? expect(again).rejects.toThrow()
    : expect(again).resolves.toBeUndefined());
});

test.each(revisions)(
  "an abort of the call cancels its task, unless it is detached (%s)",
  async (revision) => {
    const { session } = await connect({ revision }, addTools);
    await session.listTools();
    for (const cancelOnAbort of [true, false]) {
      const controller = new AbortController();
      let id = "";
      const call = session.callTool(
        { name: "endless" },
        {
          signal: controller.signal,
          cancelOnAbort,
          onTask: (task) => {
            id = task.id;
            controller.abort(new Error("enough"));
          },
        },
      );
      await expect(call).rejects.toThrow("enough");
      if (cancelOnAbort) {
        await expect.poll(async () => (await session.tasks.get(id)).status).toBe("cancelled");
      } else {
        expect((await session.tasks.get(id)).status).toBe("working");
      }
    }
  },
);

test.each(revisions)("a call that takes too long rejects and cancels its task (%s)", async (revision) => {
  const { session, engine } = await connect({ revision }, addTools);
  await session.listTools();
  let id = "";
  const call = session.callTool(
    { name: "endless" },
    { totalTimeoutMs: 50, onTask: (task) => void (id = task.id) },
  );
  await expect(call).rejects.toMatchObject({ code: "TIMEOUT" });
  await expect.poll(async () => (await engine.get(id, ""))?.state).toBe("cancelled");
});

test.each(revisions)("unknown, foreign and malformed IDs look alike (%s)", async (revision) => {
  let principal = "ada";
  const owner = (): string => principal;
  const { session } = await connect({ revision, tasks: { owner } }, addTools);
  const { task } = (await session.tasks.start({ name: "report" })) as StartedTask;
  principal = "bob";
  for (const id of [task.id, "nobody", "x".repeat(200)]) {
    for (const ask of [
      session.tasks.get(id),
      session.tasks.cancel(id),
      session.tasks.result(id),
      ...(revision === modernRevision ? [session.tasks.update(id, {})] : []),
    ]) {
      await expect(ask).rejects.toMatchObject({ code: "TASK_LOST" });
    }
  }
  principal = "ada";
  expect((await session.tasks.get(task.id)).id).toBe(task.id);
});

test("a session that ends ends what follows a task", async () => {
  const { session, engine } = await connect({ revision: modernRevision }, addTools);
  let id = "";
  const call = session.callTool({ name: "endless" }, { onTask: (task) => void (id = task.id) });
  const outcome = call.catch((error: unknown) => error);
  await expect.poll(() => id).not.toBe("");
  await session.close();
  expect(await outcome).toMatchObject({ code: "CONNECTION_CLOSED" });
  expect((await engine.get(id, ""))?.state).toBe("working");
});

test("a legacy client lists its tasks if the server knows owners", async () => {
  const { session } = await connect({ revision: legacyRevision, tasks: { owner: () => "ada" } }, addTools);
  const started = (await session.tasks.start({ name: "report" })) as StartedTask;
  const { tasks } = await session.request("tasks/list");
  expect(tasks.map(({ taskId }) => taskId)).toEqual([started.task.id]);
  await expect(session.request("tasks/list", { cursor: "§" })).rejects.toMatchObject({ code: -32_602 });
  const without = await connect({ revision: legacyRevision }, addTools);
  expect(without.session.serverCapabilities).not.toHaveProperty("tasks.list");
});

test.each([
  [3, "must be"],
  [{ mode: "maybe" }, "task.mode"],
  [{ ttlMs: 0 }, "task.ttlMs"],
  [{ ttl: 5 }, 'has no option "ttl"'],
  [{ backend: {} }, "task.backend"],
])("a tool with the option task: %j is refused", async (task, message) => {
  const { server } = await connect({ revision: modernRevision }, addTools);
  expect(() => {
    server.addTool({ name: "bad", task: task as never }, () => "");
  }).toThrow(message);
});

test.each(revisions)("prepare runs in the request, and when decides for each call (%s)", async (revision) => {
  const { session } = await connect({ revision, client: handlers }, (server) => {
    server.addTool(
      {
        name: "prepared",
        task: {
          mode: "required",
          prepare: (_, context) => context.elicit({ message: "Who?", requestedSchema: form }),
        },
      },
      (_, { task }) => JSON.stringify(task?.prepared),
    );
    server.addTool(
      {
        name: "big",
        input: { type: "object", properties: { n: { type: "integer" } } },
        task: { when: ({ n }: { n: number }) => n > 10 },
      },
      (_, { task }) => String(task !== undefined),
    );
  });
  await session.listTools();
  expect(textOf(await session.callTool({ name: "prepared" }))).toContain('"name":"W"');
  const isTask = async (n: number): Promise<string> =>
    textOf(await session.callTool({ name: "big", arguments: { n } }, { task: "prefer" }));
  expect([await isTask(5), await isTask(50)]).toEqual(["false", "true"]);
});

test.each(revisions)(
  "a system of jobs runs the tasks of a tool, asks, and is cancelled (%s)",
  async (revision) => {
    const jobs = new Map<unknown, BackendState>();
    const log: unknown[] = [];
    const { session } = await connect({ revision, client: handlers }, (server) => {
      server.addTool(
        {
          name: "job",
          task: {
            mode: "required",
            prepare: () => {
              const job = `job-${jobs.size + 1}`;
              jobs.set(job, { state: "working" });
              return job;
            },
            backend: {
              get: ({ prepared }) => jobs.get(prepared) ?? { state: "cancelled" },
              update: ({ prepared }, responses) => {
                log.push([prepared, responses]);
                jobs.set(prepared, {
                  state: "completed",
                  outcome: { result: { content: [{ type: "text", text: "ran" }] } },
                });
              },
              cancel: ({ prepared }) => void log.push(["cancel", prepared]),
            },
          },
        },
        () => "not called",
      );
    });
    await session.listTools();
    const call = session.callTool({ name: "job" });
    await expect.poll(() => jobs.size).toBe(1);
    const params = { mode: "form", message: "Who?", requestedSchema: form };
    jobs.set("job-1", {
      state: "input_required",
      questions: { who: { method: "elicitation/create", params } },
    });
    expect(textOf(await call)).toBe("ran");
    expect(log).toEqual([["job-1", { who: { action: "accept", content: { name: "W" } } }]]);
    const started = (await session.tasks.start({ name: "job" })) as StartedTask;
    await started.cancel();
    await expect.poll(() => log.at(-1)).toEqual(["cancel", "job-2"]);
  },
);

test("one server has tasks of both revisions at one time, in one engine", async () => {
  const modern = await connect({ revision: modernRevision }, addTools);
  const { createInMemoryTransports } = await import("@tenon/transports-memory");
  const { Client } = await import("@tenon/mcp");
  const { taskClient } = await import("@tenon/tasks/client");
  const client = new Client({ name: "old", version: "1.0.0" }, { revisions: [legacyRevision] });
  client.use(taskClient());
  const [here, there] = createInMemoryTransports();
  await modern.server.connect(there);
  const legacy = await client.connect(here);
  await legacy.listTools();
  const results = await Promise.all([
    modern.session.callTool({ name: "only" }),
    legacy.callTool({ name: "only" }),
  ]);
  expect(results.map(textOf)).toEqual(["attempt 1", "attempt 1"]);
  await client.close();
});
