import { createGuard } from "@tenon/sdk/auth/server";
import { Client, type ClientSession } from "@tenon/sdk/client";
import { createStreamableHandler, staticToken, StreamableClientTransport } from "@tenon/sdk/http";
import { Server } from "@tenon/sdk/server";
import { createTaskEngine } from "@tenon/tasks";
import { taskClient, type StartedTask } from "@tenon/tasks/client";
import { tasks, type TasksOptions } from "@tenon/tasks/server";
import { bothEras, legacyRevision, modernRevision } from "@tenon/test-support";
import { expect, onTestFinished, test } from "vitest";

const resource = "http://localhost/mcp";
const form = { type: "object", properties: { name: { type: "string" } }, required: ["name"] } as const;

/** A server with tasks behind a guard. Tokens are `<subject>.<client>`, and anything more. */
function serveTasks(
  options: Pick<TasksOptions, "owner"> = {},
): (token: string, revision: typeof modernRevision) => Promise<ClientSession> {
  const guard = createGuard({
    resource,
    verify(token) {
      const [subject = "", clientId] = token.split(".");
      const issuer = "https://login.example.com";
      const expiresAt = Date.now() + 60_000;
      return { issuer, subject, clientId, audience: resource, scopes: [], expiresAt };
    },
  });
  const engine = createTaskEngine({ limits: { pollIntervalMs: 1 } });
  const server = new Server({ name: "guarded", version: "1.0.0" });
  server.use(tasks({ engine, ...options }));
  server.addTool({ name: "ask", task: "optional" }, async (_, context) => {
    const { action } = await context.elicit({ message: "Name?", requestedSchema: form });
    return `The user chose to ${action}`;
  });
  const handler = createStreamableHandler({ getServer: () => server, ...guard });
  onTestFinished(async () => {
    await handler.close({ drainMs: 0 });
    await server.close({ drainMs: 0 });
    await engine.close({ drainMs: 0 });
  });
  return async (token, revision) => {
    const client = new Client(
      { name: token, version: "1.0.0" },
      { revisions: [revision], elicitation: { form: () => ({ action: "decline" }) } },
    );
    client.use(taskClient());
    onTestFinished(() => client.close());
    const fetch = (url: URL, init: RequestInit): Promise<Response> => handler.fetch(new Request(url, init));
    return client.connect(
      new StreamableClientTransport(resource, { auth: staticToken(token), fetch, eras: false }),
    );
  };
}

/** What a client learns by a request, without the ID that it asked for. */
const outcome = async (id: string, request: Promise<unknown>): Promise<string> =>
  request.then(
    (value) => JSON.stringify(value),
    (error: unknown) => {
      const { message, cause } = error as Error;
      return `${message} ${JSON.stringify(cause)}`.replaceAll(id, "<id>");
    },
  );

test.each(bothEras)(
  "A-063: a task does not exist for another user, nor for the same user through another client (%s)",
  async (revision) => {
    const connect = serveTasks();
    const owner = await connect("ada.editor", revision);
    const { reference } = (await owner.tasks.start({ name: "ask" })) as StartedTask;
    const { taskId } = reference;
    const unknown = "nobody";
    for (const token of ["bob.editor", "ada.browser"]) {
      const { tasks: foreign } = await connect(token, revision);
      for (const request of [
        (id: string) => foreign.get(id),
        (id: string) => foreign.cancel(id),
        (id: string) => foreign.result(id),
        (id: string) => foreign.resume({ ...reference, taskId: id }),
        (id: string) => foreign.watch(id).next(),
      ]) {
        const learned = await outcome(taskId, request(taskId));
        expect(learned).toMatch(/does not know the task <id>.*-32602/);
        expect(learned).toBe(await outcome(unknown, request(unknown)));
      }
    }
    // A new token of the same user through the same client.
    const renewed = await connect("ada.editor.renewed", revision);
    expect(await renewed.tasks.get(taskId)).toMatchObject({ id: taskId });
    expect(await renewed.tasks.result(taskId)).toMatchObject({
      content: [{ text: "The user chose to decline" }],
    });
  },
);

test("A-063: lists of tasks have the tasks of their reader only, and nobody else gets a result", async () => {
  const connect = serveTasks({ owner: ({ auth }) => auth?.principal ?? "" });
  const owner = await connect("ada.editor", legacyRevision);
  const { reference } = (await owner.tasks.start({ name: "ask" })) as StartedTask;
  const other = await connect("bob.editor", legacyRevision);
  expect((await owner.request("tasks/list", {})).tasks).toMatchObject([{ taskId: reference.taskId }]);
  expect((await other.request("tasks/list", {})).tasks).toEqual([]);
  await expect(other.request("tasks/result", { taskId: reference.taskId })).rejects.toMatchObject({
    code: -32_602,
  });
});

test("A-063: nobody answers the questions of a task of another user, or listens to it", async () => {
  const connect = serveTasks();
  const owner = await connect("ada.editor", modernRevision);
  const { reference } = (await owner.tasks.start({ name: "ask" })) as StartedTask;
  const { taskId } = reference;
  await expect.poll(async () => (await owner.tasks.get(taskId)).status).toBe("input_required");
  const other = await connect("bob.editor", modernRevision);
  const { inputRequests = {} } = (await owner.tasks.get(taskId)) as { readonly inputRequests?: object };
  const answers = Object.fromEntries(Object.keys(inputRequests).map((key) => [key, { action: "accept" }]));
  expect(Object.keys(answers)).toHaveLength(1);
  await expect(other.tasks.update(taskId, answers as never)).rejects.toMatchObject({ code: "TASK_LOST" });
  const subscription = await other.listen({ taskIds: [taskId] } as never, { onChange: () => {} });
  expect(subscription.honoured).toEqual({ taskIds: [] });
  expect((await owner.tasks.get(taskId)).status).toBe("input_required");
});
