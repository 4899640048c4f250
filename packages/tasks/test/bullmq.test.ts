import { isRpcError } from "@tenon/jsonrpc2";
import type { Server } from "@tenon/mcp";
import { bullTask, type BullJobData, type BullTaskOptions } from "@tenon/tasks/bullmq";
import type { StartedTask } from "@tenon/tasks/client";
import { deferred, legacyRevision, modernRevision } from "@tenon/test-support";
import { startProxy, type Proxy } from "@tenon/test-support/proxy";
import { hasRedis, startRedis, type RedisServer } from "@tenon/test-support/redis";
import { DelayedError, Queue, Worker, type Job } from "bullmq";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";

import { connect, textOf } from "./pair.ts";

const form = { type: "object", properties: { name: { type: "string" } }, required: ["name"] } as const;
const elicitation = {
  form: () => ({ action: "accept" as const, content: { name: "Ada" } }),
};

// #region worker
async function label(job: Job<BullJobData>, token: string | undefined): Promise<unknown> {
  const response = job.data.responses["who"] as { readonly content?: { readonly name: string } } | undefined;
  if (response === undefined) {
    const params = { mode: "form", message: "Who?", requestedSchema: form };
    await job.updateProgress({ questions: { who: { method: "elicitation/create", params } } });
    await job.moveToDelayed(Date.now() + 86_400_000, token); // until the response
    throw new DelayedError();
  }
  return `for ${response.content?.name}`;
}
// #endregion worker

// #region tool
function addTool(server: Server, queue: Queue<BullJobData>, options?: BullTaskOptions): void {
  const input = { type: "object", properties: { of: { type: "string" } } } as const;
  const task = { mode: "required", ...bullTask(queue, options) } as const;
  server.addTool({ name: "job", input, task }, () => "");
}
// #endregion tool

describe.skipIf(!hasRedis)("BullMQ (skipped without a Redis server)", () => {
  let redis: RedisServer;
  let proxy: Proxy;
  let lastQueue = 0;

  beforeAll(async () => {
    redis = await startRedis();
    proxy = await startProxy(redis.target);
  });
  afterAll(async () => {
    await proxy[Symbol.asyncDispose]();
    await redis[Symbol.asyncDispose]();
  });

  /** A queue, and a worker that runs its jobs. */
  function open(
    run: (job: Job<BullJobData>, token: string | undefined) => Promise<unknown>,
  ): Queue<BullJobData> {
    const connection = { host: "127.0.0.1", port: proxy.port };
    const name = `queue-${++lastQueue}`;
    const queue = new Queue<BullJobData>(name, { connection });
    const worker = new Worker<BullJobData>(name, run, { connection });
    queue.on("error", () => undefined);
    worker.on("error", () => undefined);
    onTestFinished(async () => {
      await worker.close(true);
      await queue.close();
    });
    return queue;
  }

  test.each([legacyRevision, modernRevision])(
    "a worker of a queue runs the call of a tool and reports progress (%s)",
    async (revision) => {
      const gate = deferred();
      const queue = open(async (job) => {
        await job.updateProgress({ message: "halfway" });
        await gate.promise;
        return `made of ${(job.data.arguments as { readonly of: string }).of}`;
      });
      const { session } = await connect({ revision }, (server) => addTool(server, queue));
      await session.listTools();
      const task = (await session.tasks.start({ name: "job", arguments: { of: "oak" } })) as StartedTask;
      await expect.poll(async () => (await session.tasks.get(task.task.id)).statusMessage).toBe("halfway");
      gate.resolve();
      expect(textOf(await task.result())).toBe("made of oak");
    },
  );

  test("a job requests input, waits without a worker, and goes on with the response", async () => {
    let runs = 0;
    const queue = open((job, token) => {
      runs++;
      return label(job, token);
    });
    const { session } = await connect({ revision: modernRevision, client: { elicitation } }, (server) =>
      addTool(server, queue),
    );
    await session.listTools();
    expect(textOf(await session.callTool({ name: "job" }))).toBe("for Ada");
    expect(runs).toBe(2);
  });

  test("a job that fails is a task that failed, and its reason is private unless it is mapped", async () => {
    const queue = open(() => Promise.reject(new Error("the password is 1234")));
    const failureOf = async (options?: BullTaskOptions): Promise<string> => {
      const { session } = await connect({ revision: modernRevision }, (server) =>
        addTool(server, queue, options),
      );
      await session.listTools();
      return session.callTool({ name: "job" }).then(
        () => "",
        (error: unknown) => (isRpcError(error) ? error.message : String(error)),
      );
    };
    expect(await failureOf()).toContain("The job failed");
    const message = "Out of paper";
    expect(await failureOf({ errorOf: () => ({ code: -32_000, message }) })).toContain(message);
  });

  test("cancelling removes a job that waits, and marks a job that runs", async () => {
    const gate = deferred();
    const queue = open(async () => {
      await gate.promise;
    });
    const { session } = await connect({ revision: modernRevision }, (server) => addTool(server, queue));
    await session.listTools();
    const running = (await session.tasks.start({ name: "job" })) as StartedTask;
    await expect.poll(() => queue.getActiveCount()).toBe(1);
    const waiting = (await session.tasks.start({ name: "job" })) as StartedTask;
    await expect.poll(() => queue.getWaitingCount()).toBe(1);
    await waiting.cancel();
    await expect.poll(() => queue.getWaitingCount()).toBe(0);
    await running.cancel();
    await expect.poll(async () => (await queue.getActive())[0]?.data.isCancelled).toBe(true);
    gate.resolve();
  });

  test("a job that was removed from its queue is a task that failed", async () => {
    const queue = open(() => Promise.resolve("never"));
    await queue.pause();
    const { session } = await connect({ revision: modernRevision }, (server) => addTool(server, queue));
    await session.listTools();
    const call = session.callTool({ name: "job" }).catch(String);
    await expect.poll(() => queue.getJobCountByTypes("waiting")).toBe(1);
    await queue.drain();
    expect(await call).toContain("no longer in its queue");
  });
});

test("unknown options of bullTask are refused", () => {
  const queue = { add: () => Promise.resolve(), getJob: () => Promise.resolve(undefined) };
  expect(() => bullTask(queue, { nam: "x" } as BullTaskOptions)).toThrow("name");
});
