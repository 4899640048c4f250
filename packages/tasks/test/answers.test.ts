import type { Server } from "@tenon/mcp";
import type { Revision } from "@tenon/protocol";
import { createMemoryTaskStore } from "@tenon/tasks";
import type { RemoteTask, StartedTask } from "@tenon/tasks/client";
import { deferred, legacyRevision, modernRevision } from "@tenon/test-support";
import { expect, onTestFinished, test } from "vitest";

import { connect, textOf } from "./pair.ts";

// The responses to the input requests of tasks.

const revisions: readonly Revision[] = [legacyRevision, modernRevision];
const form = { type: "object", properties: { name: { type: "string" } }, required: ["name"] } as const;

function addTwice(server: Server): void {
  server.addTool({ name: "twice", task: "required" }, async (_, context) => {
    const ask = async (message: string): Promise<unknown> => {
      const outcome = await context.elicit({ message, requestedSchema: form });
      return outcome.action === "accept" ? outcome.content.name : outcome.action;
    };
    const first = await ask("First?");
    const second = await ask("Second?");
    const [third, fourth] = await Promise.all([ask("Third?"), ask("Fourth?")]);
    return JSON.stringify([first, second, third, fourth]);
  });
}

test.each(revisions)("input requests without keys get each their own response (%s)", async (revision) => {
  const { session } = await connect(
    {
      revision,
      client: { elicitation: { form: ({ message }) => ({ action: "accept", content: { name: message } }) } },
    },
    addTwice,
  );
  await session.listTools();
  const result = await session.callTool({ name: "twice" });
  expect(textOf(result)).toBe(JSON.stringify(["First?", "Second?", "Third?", "Fourth?"]));
});

const prompt = { messages: [], maxTokens: 1 };

test("a response that is not valid is refused, and the task still waits for a valid response", async () => {
  const { session } = await connect(
    {
      revision: modernRevision,
      client: {
        elicitation: { form: () => ({ action: "decline" }) },
        sampling: { createMessage: () => Promise.reject(new Error("not used")) },
        roots: [],
      },
    },
    (server) => {
      server.addTool({ name: "all", task: "required" }, async (_, context) => {
        const [outcome, message, roots] = await Promise.all([
          context.elicit({ message: "Name?", requestedSchema: form }, { key: "form" }),
          context.sample(prompt, { key: "sample" }),
          context.listRoots({ key: "roots" }),
        ]);
        return JSON.stringify([outcome.action, message.model, roots.length]);
      });
    },
  );
  const { task } = (await session.tasks.start({ name: "all" })) as StartedTask;
  const state = async (): Promise<RemoteTask> => session.tasks.get(task.id);
  await expect.poll(async () => (await state()).status).toBe("input_required");
  const bad: readonly Record<string, unknown>[] = [
    { form: 5 },
    { form: null },
    { form: { action: "maybe" } },
    { form: { action: "accept" } },
    { form: { action: "accept", content: { name: 1 } } },
    { sample: { role: "assistant" } },
    { roots: { roots: [1] } },
    { roots: { roots: [] }, form: "text" },
  ];
  for (const responses of bad) {
    await expect(session.tasks.update(task.id, responses as never)).rejects.toMatchObject({ code: -32_602 });
    const { status, inputRequests } = await state();
    expect([status, Object.keys(inputRequests).toSorted()]).toEqual([
      "input_required",
      ["form", "roots", "sample"],
    ]);
  }
  await session.tasks.update(task.id, {
    form: { action: "accept", content: { name: "Ada" } },
    sample: { role: "assistant", model: "m", content: { type: "text", text: "x" } },
    roots: { roots: [{ uri: "file:///a" }] },
  });
  expect(textOf(await session.tasks.result(task.id))).toBe(JSON.stringify(["accept", "m", 1]));
});

test("an input request that the client cannot fulfil fails the task with -32021, which names it", async () => {
  const { session, errors } = await connect({ revision: modernRevision }, addTwice);
  const call = session.callTool({ name: "twice" });
  await expect(call).rejects.toMatchObject({
    code: -32_021,
    message: "Missing client capabilities: elicitation",
    data: { requiredCapabilities: { elicitation: {} } },
  });
  expect(errors).toEqual([]);
});

test("a tool that requires a task names the extension to clients without it", async () => {
  const { session } = await connect({ revision: modernRevision, hasTasks: false }, addTwice);
  await expect(session.callTool({ name: "twice" })).rejects.toMatchObject({
    code: -32_021,
    message: "Missing client capabilities: io.modelcontextprotocol/tasks",
  });
});

test("a call for which the store has no room is refused with 429, and reported once", async () => {
  const { session, errors } = await connect(
    { revision: modernRevision, engine: { store: createMemoryTaskStore({ limits: { maxTasks: 1 } }) } },
    (server) => {
      server.addTool({ name: "endless", task: "required" }, () => new Promise<string>(() => undefined));
    },
  );
  await session.tasks.start({ name: "endless" });
  for (let call = 0; call < 5; call++) {
    await expect(session.tasks.start({ name: "endless" })).rejects.toMatchObject({
      code: 429,
      message: expect.stringContaining("maxTasks"),
      data: { retryAfterMs: 30_000 },
    });
  }
  expect(errors).toEqual([expect.objectContaining({ code: "STORE_FULL" })]);
});

test("progress does not go backwards when a handler runs again", async () => {
  const store = createMemoryTaskStore();
  const seen: unknown[] = [];
  const { session, engine } = await connect(
    {
      revision: modernRevision,
      engine: { store, limits: { pollIntervalMs: 1, statusIntervalMs: 0 } },
      client: {
        elicitation: { form: () => ({ action: "accept", content: { name: "Ada" } }) },
      },
    },
    (server) => {
      server.addTool({ name: "parts", task: "required" }, async (_, context) => {
        for (let part = 1; part <= 3; part++) {
          await context.progress(part, 4, `part ${part}`);
        }
        await context.elicit({ message: "Name?", requestedSchema: form });
        await context.progress(4, 4, "part 4");
        return "done";
      });
    },
  );
  const { task } = (await session.tasks.start({ name: "parts" })) as StartedTask;
  const watch = await engine.watch([task.id], "", ({ statusMessage }) => void seen.push(statusMessage));
  onTestFinished(() => watch.close());
  expect(textOf(await session.tasks.result(task.id))).toBe("done");
  const parts = seen.filter((each) => typeof each === "string");
  expect(parts).toEqual(parts.toSorted());
  expect((await engine.get(task.id, ""))?.statusMessage).toBe("4/4 part 4");
});

test("a call that its client cancelled while its task was created leaves no running task", async () => {
  const abort = new AbortController();
  const store = createMemoryTaskStore();
  const created = deferred<string>();
  const { session } = await connect(
    {
      revision: modernRevision,
      engine: {
        store: {
          ...store,
          async create(task, lease) {
            const record = await store.create(task, lease);
            abort.abort(new Error("enough"));
            // The cancellation arrives while the store still works.
            await session.ping();
            created.resolve(record.id);
            return record;
          },
        },
      },
    },
    (server) => {
      server.addTool({ name: "endless", task: "required" }, () => new Promise<string>(() => undefined));
    },
  );
  const call = session.callTool({ name: "endless" }, { signal: abort.signal });
  await expect(call).rejects.toThrow("enough");
  const id = await created.promise;
  await expect.poll(async () => (await store.get(id, undefined))?.state).toBe("cancelled");
});
