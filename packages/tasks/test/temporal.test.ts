import { fileURLToPath } from "node:url";

import { isRpcError } from "@tenon/jsonrpc2";
import type { Server } from "@tenon/mcp";
import type { StartedTask } from "@tenon/tasks/client";
import { temporalTask, type TemporalTaskOptions, type TemporalWorkflows } from "@tenon/tasks/temporal";
import { legacyRevision, modernRevision } from "@tenon/test-support";
import { hasTemporal, startTemporal, type TemporalServer } from "@tenon/test-support/temporal";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";

import { connect, textOf } from "./pair.ts";

const script = fileURLToPath(new URL("fixtures/temporal-worker.mjs", import.meta.url));
const elicitation = {
  form: () => ({ action: "accept" as const, content: { name: "Ada" } }),
};

// #region tool
/** @param workflows - `client.workflow` of a `Client` of `@temporalio/client`. */
function addTool(server: Server, workflows: TemporalWorkflows, options: TemporalTaskOptions): void {
  const input = { type: "object", properties: { of: { type: "string" } } } as const;
  const task = { mode: "required", ...temporalTask(workflows, options) } as const;
  server.addTool({ name: "label", input, task }, () => "");
}
// #endregion tool

describe.skipIf(!hasTemporal)("Temporal (skipped without Temporal)", () => {
  let temporal: TemporalServer<TemporalWorkflows>;
  let lastQueue = 0;

  beforeAll(async () => {
    temporal = await startTemporal<TemporalWorkflows>();
  });
  afterAll(async () => {
    await temporal[Symbol.asyncDispose]();
  });

  /** Starts a worker in a process of its own. @returns The name of its task queue. */
  async function startWorker(taskQueue = `queue-${++lastQueue}`): Promise<string> {
    const worker = await temporal.startWorker(script, taskQueue);
    onTestFinished(() => worker[Symbol.asyncDispose]());
    return taskQueue;
  }

  const open = (options: TemporalTaskOptions, revision = modernRevision): ReturnType<typeof connect> =>
    connect({ revision, client: { elicitation } }, (server) =>
      addTool(server, temporal.client.workflow, options),
    );

  test.each([legacyRevision, modernRevision])(
    "a workflow runs the call of a tool, requests input, and goes on with the response (%s)",
    async (revision) => {
      const taskQueue = await startWorker();
      const { session } = await open({ workflow: "label", taskQueue }, revision);
      await session.listTools();
      const messages: unknown[] = [];
      const result = await session.callTool(
        { name: "label", arguments: { of: "oak" } },
        { onTask: ({ statusMessage }) => messages.push(statusMessage) },
      );
      expect(textOf(result)).toBe("oak for Ada");
      expect(messages).toContain("A label is made");
    },
  );

  test("a workflow without a worker is a working task, and a worker that comes later runs it", async () => {
    const taskQueue = `queue-${++lastQueue}`;
    const limits = { queryTimeoutMs: 500 };
    const { session, errors } = await open({ workflow: "label", taskQueue, limits });
    await session.listTools();
    const task = (await session.tasks.start({ name: "label", arguments: { of: "elm" } })) as StartedTask;
    expect(await session.tasks.get(task.task.id)).toMatchObject({ status: "working" });
    await startWorker(taskQueue);
    expect(textOf(await task.result())).toBe("elm for Ada");
    expect(errors).toEqual([]);
  });

  test("a workflow that fails is a task that failed, and its reason is private unless it is mapped", async () => {
    const taskQueue = await startWorker();
    const failureOf = async (options: Partial<TemporalTaskOptions>): Promise<string> => {
      const { session } = await open({ workflow: "fails", taskQueue, ...options });
      await session.listTools();
      return session.callTool({ name: "label" }).then(
        () => "",
        (error: unknown) => (isRpcError(error) ? error.message : String(error)),
      );
    };
    expect(await failureOf({})).toContain("The job failed");
    const reasons: string[] = [];
    const message = "Out of paper";
    const errorOf = (reason: string): { code: number; message: string } => {
      reasons.push(reason);
      return { code: -32_000, message };
    };
    expect(await failureOf({ errorOf })).toContain(message);
    expect(reasons).toEqual(["the password is 1234"]);
  });

  test("cancelling a task cancels its workflow, which need not report a state", async () => {
    const taskQueue = await startWorker();
    const { session, errors } = await open({ workflow: "waits", taskQueue });
    await session.listTools();
    const started = (await session.tasks.start({ name: "label" })) as StartedTask;
    expect(await session.tasks.get(started.task.id)).toMatchObject({ status: "working" });
    await started.cancel();
    await expect.poll(() => statuses(taskQueue)).toEqual(["CANCELLED"]);
    expect(errors).toEqual([]);
  });

  test("a workflow that was terminated is a task that failed", async () => {
    const taskQueue = await startWorker();
    const { session } = await open({ workflow: "waits", taskQueue });
    await session.listTools();
    const call = session.callTool({ name: "label" }).catch(String);
    await expect.poll(() => statuses(taskQueue)).toEqual(["RUNNING"]);
    for await (const { workflowId } of temporal.client.workflow.list({
      query: `TaskQueue = "${taskQueue}"`,
    })) {
      await temporal.client.workflow.getHandle(workflowId).terminate();
    }
    expect(await call).toContain("The job failed");
  });

  test("a workflow that does not exist is a task that failed, and takes responses and a cancellation", async () => {
    const { backend } = temporalTask(temporal.client.workflow, { workflow: "waits", taskQueue: "none" });
    const { signal } = new AbortController();
    const job = { id: "id", principal: "", arguments: {}, prepared: "unknown", signal };
    expect(await backend.get(job)).toMatchObject({
      state: "failed",
      outcome: { error: { message: "The workflow no longer exists" } },
    });
    await backend.update?.(job, { who: {} });
    await backend.cancel?.(job);
  });

  /** The states of the workflows of a task queue. */
  async function statuses(taskQueue: string): Promise<string[]> {
    const found: string[] = [];
    for await (const { status } of temporal.client.workflow.list({ query: `TaskQueue = "${taskQueue}"` })) {
      found.push(status.name);
    }
    return found;
  }
});

const none: TemporalWorkflows = {
  start: () => Promise.resolve(),
  withDeadline: (_, run) => run(),
  getHandle: () => {
    throw new Error("There is none.");
  },
};

test("unknown and missing options of temporalTask are refused", () => {
  expect(() => temporalTask(none, { workflow: "w", taskQueue: "q", taskQeue: "q" } as never)).toThrow(
    /taskQeue.*taskQueue/,
  );
  expect(() => temporalTask(none, { workflow: "w" } as never)).toThrow("taskQueue must be a string");
});
