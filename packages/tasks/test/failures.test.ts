import { RpcError } from "@tenon/jsonrpc2";
import { Client, Server } from "@tenon/mcp";
import type { Revision } from "@tenon/protocol";
import { TaskError, createTaskEngine } from "@tenon/tasks";
import { taskClient, type RemoteTask, type StartedTask } from "@tenon/tasks/client";
import { tasks } from "@tenon/tasks/server";
import { deferred, legacyRevision, modernRevision } from "@tenon/test-support";
import { createInMemoryTransports } from "@tenon/transports-memory";
import { expect, test } from "vitest";

import { readDetailedTask } from "../src/client/task.ts";
import { resultOf } from "../src/server/legacy-result.ts";
import { connect, textOf } from "./pair.ts";
import { createDatedClock } from "./support/clock.ts";

// What happens to a task whose call fails on the way.

const revisions: readonly Revision[] = [legacyRevision, modernRevision];
const form = { type: "object", properties: { name: { type: "string" } }, required: ["name"] } as const;
const failing = {
  elicitation: {
    form: () => {
      throw new Error("The user interface is broken.");
    },
  },
};

function addAsk(server: Server): void {
  server.addTool({ name: "ask", task: "required" }, async (_, context) => {
    const { action } = await context.elicit({ message: "Name?", requestedSchema: form });
    return action;
  });
}

test.each(revisions)(
  "a task whose input request fails in the client is cancelled, unless it is detached (%s)",
  async (revision) => {
    const { session, engine } = await connect({ revision, client: failing }, addAsk);
    await session.listTools();
    for (const cancelOnAbort of [true, false]) {
      let id = "";
      const call = session.callTool(
        { name: "ask" },
        { cancelOnAbort, onTask: (task: RemoteTask) => void (id = task.id) },
      );
      await expect(call).rejects.toThrow();
      const state = async (): Promise<unknown> => (await engine.get(id, ""))?.state;
      if (cancelOnAbort) {
        await expect.poll(state).toBe("cancelled");
      } else {
        expect(await state()).toBe("input_required");
      }
    }
  },
);

/** Functions of callers that fail, at once and later. */
const failures: Readonly<Record<string, () => void>> = {
  "at once": () => {
    throw new Error("The list of tasks is closed.");
  },
  later: (): unknown => Promise.reject(new Error("The list of tasks is closed.")),
};
const calls = revisions.flatMap((revision) =>
  Object.entries(failures).map(([when, fail]) => [revision, when, fail] as const),
);

test.each(calls)("a call goes on though onTask and onProgress fail (%s, %s)", async (revision, _, fail) => {
  const told = deferred();
  const { session, errors } = await connect({ revision }, (server) => {
    server.addTool({ name: "slow", task: "required" }, async (__, { progress }) => {
      await progress(1);
      await told.promise;
      return "done";
    });
  });
  await session.listTools();
  const call = session.callTool({ name: "slow" }, { onTask: fail, onProgress: fail });
  await expect.poll(() => errors.length).toBeGreaterThanOrEqual(2);
  told.resolve();
  expect(textOf(await call)).toBe("done");
  expect(String(errors)).toContain("The list of tasks is closed.");
});

test.each(Object.entries(failures))(
  "a request of a server that a client keeps as a task goes on though onTask fails (%s)",
  async (_, onTask) => {
    const accept = { action: "accept", content: { name: "Ada" } } as const;
    const errors: unknown[] = [];
    await using engine = createTaskEngine({ limits: { pollIntervalMs: 1 } });
    const server = new Server(
      { name: "asking", version: "1.0.0" },
      { onError: (error) => void errors.push(error) },
    );
    server.use(tasks({ engine }));
    server.addTool({ name: "ask" }, async (__, context) => {
      const { action } = await context.elicit(
        { message: "Name?", requestedSchema: form },
        { task: true, onTask },
      );
      return action;
    });
    await using client = new Client(
      { name: "keeping", version: "1.0.0" },
      { revisions: [legacyRevision], elicitation: { form: () => accept } },
    );
    client.use(taskClient({ engine }));
    const [here, there] = createInMemoryTransports();
    await server.connect(there);
    const session = await client.connect(here);
    expect(textOf(await session.callTool({ name: "ask" }))).toBe("accept");
    await expect.poll(() => String(errors)).toContain("The list of tasks is closed.");
  },
);

const sent = { taskId: "t_1", status: "working", createdAt: "2026-11-24T00:00:00Z" };

test("a task that has ended without its outcome is not valid", () => {
  for (const [status, member] of [
    ["completed", "result"],
    ["failed", "error"],
  ] as const) {
    expect(() => readDetailedTask({ ...sent, status })).toThrow(
      expect.objectContaining({ code: "INVALID_TASK", message: expect.stringContaining(member) }),
    );
    expect(() => readDetailedTask({ ...sent, status, [member]: "text" })).toThrow(member);
  }
  expect(readDetailedTask({ ...sent, status: "completed", result: {} }).result).toEqual({});
  expect(readDetailedTask({ ...sent, status: "cancelled" }).status).toBe("cancelled");
});

test("a call whose task has ended when it is created has the result that tasks/get returns", async () => {
  const { session, server } = await connect({ revision: modernRevision }, addAsk);
  server.addTool({ name: "quick", task: "required" }, () => "quick");
  server.addReceivingMiddleware((next) => async (request) => {
    const result = (await next(request)) as object;
    return "resultType" in result && result.resultType === "task"
      ? { ...result, status: "completed" }
      : result;
  });
  expect(textOf(await session.callTool({ name: "quick" }))).toBe("quick");
});

test("a request for a result that cannot watch its task counts as running again", async () => {
  await using engine = createTaskEngine();
  const task = await engine.start({ definition: { name: "job", version: "1" } });
  const full = new TaskError("LIMIT_EXCEEDED", "0 tasks are watched already (maxWatched).");
  let parked = 0;
  const request = {
    signal: new AbortController().signal,
    park: () => {
      parked++;
      return () => void parked--;
    },
  };
  const shared = { engine: { ...engine, watch: () => Promise.reject(full) }, ownerOf: () => "" };
  await expect(resultOf(task, request as never, shared as never)).rejects.toBe(full);
  expect(parked).toBe(0);
});

test.each(revisions)("a task that expires fails, and is unknown some time later (%s)", async (revision) => {
  const clock = createDatedClock();
  const limits = { ttlMs: 10_000, pollIntervalMs: 1 };
  const { session } = await connect({ revision, engine: { clock, limits } }, (server) => {
    server.addTool({ name: "endless", task: "required" }, () => new Promise<string>(() => undefined));
  });
  const { task } = (await session.tasks.start({ name: "endless" })) as StartedTask;
  const status = async (): Promise<unknown> => {
    clock.advance(1000);
    return session.tasks.get(task.id).then(
      (found) => found.status,
      (error: unknown) => (error as { readonly code?: unknown }).code,
    );
  };
  await expect.poll(status).toBe("failed");
  await expect(session.tasks.result(task.id)).rejects.toMatchObject({
    code: -32_603,
    message: expect.stringContaining("expired"),
  });
  await expect.poll(status).toBe("TASK_LOST");
});

test("a poll that fails in the server is repeated, and the call is not", async () => {
  const { session, server, sent } = await connect({ revision: modernRevision }, (its) => {
    its.addTool({ name: "quick", task: "required" }, () => "done");
  });
  let failures = 0;
  server.addReceivingMiddleware((next) => (request) => {
    if (request.method === "tasks/get" && failures < 2) {
      failures++;
      throw new RpcError(-32_603, "The store is not reachable");
    }
    return next(request);
  });
  expect(textOf(await session.callTool({ name: "quick" }))).toBe("done");
  const methods = sent.map((message) => ("method" in message ? message.method : undefined));
  expect(failures).toBe(2);
  expect(methods.filter((method) => method === "tools/call")).toHaveLength(1);
});

test.each([
  ["nothing", "failed", {}, { code: -32_603, message: "boom" }],
  ["no content", "failed", { content: [] }, { code: -32_603, message: "boom" }],
  ["no content", "cancelled", { content: [] }, { code: "TASK_CANCELLED" }],
])(
  "a legacy task whose result is %s, and whose status is %s, is no success",
  async (_, status, result, error) => {
    const { session } = await legacyEnd(() => ({ status, statusMessage: "boom" }), result);
    await expect(session.callTool({ name: "quick" }, { task: "prefer" })).rejects.toMatchObject(error);
    const started = (await session.tasks.start({ name: "quick" })) as StartedTask;
    await expect(started.result()).rejects.toMatchObject(error);
  },
);

test("a failed legacy task without a message names its ID", async () => {
  const { session } = await legacyEnd(() => ({ status: "failed" }), {});
  const started = (await session.tasks.start({ name: "quick" })) as StartedTask;
  await expect(started.result()).rejects.toThrow(started.task.id);
});

test.each([
  ["failed", true],
  ["completed", undefined],
])("a result without isError of a legacy task that has %s", async (status, isError) => {
  const content = [{ type: "text", text: "The disk is full." }];
  const { session } = await legacyEnd(() => ({ status }), { content });
  const result = await session.callTool({ name: "quick" }, { task: "prefer" });
  expect([result.content, result.isError]).toEqual([content, isError]);
});

test("a result of a legacy task counts, though the task is unknown when its status is read", async () => {
  const content = [{ type: "text", text: "done" }];
  const gone = (): never => {
    throw new RpcError(-32_602, "Task not found");
  };
  const { session } = await legacyEnd(gone, { content });
  const result = await session.callTool({ name: "quick" }, { task: "prefer" });
  expect(result).toMatchObject({ content });
});

/** A client of a legacy server that responds in its own way about tasks that have ended. */
async function legacyEnd(get: () => object, result: object): ReturnType<typeof connect> {
  const pair = await connect({ revision: legacyRevision }, (server) => {
    server.addTool({ name: "quick", task: "optional" }, () => "quick");
    server.addReceivingMiddleware((next) => async (request) => {
      const sent = (await next(request)) as object;
      switch (request.method) {
        case "tasks/get":
          return { ...sent, statusMessage: undefined, ...get() };
        case "tasks/result":
          return result;
        default:
          return sent;
      }
    });
  });
  await pair.session.listTools();
  return pair;
}
