import { Client, Server } from "@tenon/mcp";
import type { Revision } from "@tenon/protocol";
import { createTaskEngine, type TaskState } from "@tenon/tasks";
import { taskClient } from "@tenon/tasks/client";
import { tasks } from "@tenon/tasks/server";
import { deferred, legacyRevision, modernRevision } from "@tenon/test-support";
import { StreamableClientTransport } from "@tenon/transports-streamable-http/client";
import { createStreamableHandler } from "@tenon/transports-streamable-http/server";
import { expect, onTestFinished, test } from "vitest";

import { textOf } from "./pair.ts";

// Requests about tasks that get no response: the network must not end a task.

const revisions: readonly Revision[] = [legacyRevision, modernRevision];
const form = { type: "object", properties: { ok: { type: "boolean" } } } as const;

interface Faulty {
  /** Fails the next request of a method: before the server has received it, or afterwards. */
  lose(method: string, when: "before" | "after", status?: number): void;
  /** Ends the connection of the next request of a method when the server has received it. */
  cut(method: string): void;
  /** Lets the tool `later` request input. */
  ask(): void;
  readonly received: readonly string[];
  readonly sent: readonly string[];
  readonly errors: readonly unknown[];
  readonly client: Client;
  connect(): ReturnType<Client["connect"]>;
  state(id: string): Promise<TaskState | undefined>;
}

function makeFaulty(revision: Revision): Faulty {
  const errors: unknown[] = [];
  const onError = (error: unknown): void => void errors.push(error);
  const engine = createTaskEngine({ limits: { pollIntervalMs: 1, statusIntervalMs: 0 }, onError });
  const server = new Server({ name: "server", version: "1.0.0" }, { onError });
  server.use(tasks({ engine }));
  server.addTool({ name: "ask", task: "required" }, async (_, context) => {
    const { action } = await context.elicit({ message: "Ok?", requestedSchema: form });
    return action;
  });
  server.addTool({ name: "endless", task: "required" }, async (_, { signal }) => {
    await new Promise((_resolve, reject) => {
      signal.addEventListener("abort", () => {
        reject(signal.reason as Error);
      });
    });
  });
  const mayAsk = deferred();
  server.addTool({ name: "later", task: "required" }, async (_, context) => {
    await mayAsk.promise;
    const { action } = await context.elicit({ message: "Ok?", requestedSchema: form });
    return action;
  });
  const received: string[] = [];
  let onReceived = (): void => {};
  server.addReceivingMiddleware((next) => (request) => {
    received.push(request.method);
    const result = next(request);
    onReceived();
    return result;
  });
  const handler = createStreamableHandler({ getServer: () => server });
  interface Fault {
    readonly method: string;
    readonly when: "before" | "during" | "after";
    readonly status?: number;
  }
  const faults: Fault[] = [];
  const sent: string[] = [];
  const fetch = async (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
    const { method } = JSON.parse(typeof init?.body === "string" ? init.body : "{}") as { method?: string };
    if (method !== undefined) {
      sent.push(method);
    }
    const index = faults.findIndex((each) => each.method === method);
    const [fault] = index < 0 ? [] : faults.splice(index, 1);
    if (fault?.status === 400) {
      return Response.json(
        { jsonrpc: "2.0", id: null, error: { code: -32_600, message: "Invalid Request: the id is in use" } },
        { status: 400 },
      );
    }
    if (fault?.when === "before" && fault.status !== undefined) {
      return new Response("Not now", { status: fault.status });
    }
    if (fault?.when === "before") {
      throw new TypeError("fetch failed");
    }
    if (fault?.when === "during") {
      const left = new AbortController();
      const arrived = deferred();
      onReceived = arrived.resolve;
      handler.fetch(new Request(input, { ...init, signal: left.signal })).catch(() => {});
      await arrived.promise;
      left.abort();
      throw new TypeError("fetch failed");
    }
    const response = await handler.fetch(new Request(input, init));
    if (fault !== undefined) {
      await response.body?.cancel();
      throw new TypeError("fetch failed");
    }
    return response;
  };
  const client = new Client(
    { name: "client", version: "1.0.0" },
    {
      revisions: [revision],
      onError,
      elicitation: { form: () => ({ action: "accept", content: { ok: true } }) },
    },
  );
  client.use(taskClient());
  onTestFinished(async () => {
    await client.close();
    await handler.close({ drainMs: 0 });
    await engine.close({ drainMs: 0 });
  });
  return {
    cut: (method) => void faults.push({ method, when: "during" }),
    ask: mayAsk.resolve,
    received,
    lose: (method, when, status) => void faults.push({ method, when, ...(status && { status }) }),
    sent,
    errors,
    client,
    connect: () => client.connect(new StreamableClientTransport("http://127.0.0.1/mcp", { fetch })),
    state: async (id) => (await engine.get(id, ""))?.state,
  };
}

test.each([
  ["tasks/get", "before", undefined, 3],
  ["tasks/get", "after", undefined, 3],
  ["tasks/update", "before", undefined, 3],
  ["tasks/update", "before", 503, 3],
  // The task may have gone on before the request is repeated.
  ["tasks/update", "after", undefined, 1],
] as const)(
  "a task goes on when a %s is lost %s it was received (status %s)",
  async (method, when, status, attempts) => {
    const faulty = makeFaulty(modernRevision);
    const session = await faulty.connect();
    faulty.lose(method, when, status);
    faulty.lose(method, when, status);
    expect(textOf(await session.callTool({ name: "ask" }))).toBe("accept");
    expect(faulty.sent).not.toContain("tasks/cancel");
    expect(faulty.sent.filter((each) => each === method).length).toBeGreaterThanOrEqual(attempts);
  },
);

test("a legacy task goes on when the request for its result and its polls are lost", async () => {
  const faulty = makeFaulty(legacyRevision);
  const session = await faulty.connect();
  await session.listTools();
  faulty.lose("tasks/result", "before");
  faulty.lose("tasks/result", "before", 503);
  faulty.lose("tasks/get", "before");
  const states: string[] = [];
  const onTask = ({ status }: { readonly status: string }): void => void states.push(status);
  expect(textOf(await session.callTool({ name: "ask" }, { onTask }))).toBe("accept");
  expect(states.at(-1)).toBe("completed");
  expect(faulty.sent).not.toContain("tasks/cancel");
  expect(faulty.errors).toEqual([]);
});

test("a legacy task goes on when its server has a request that a transport sends again", async () => {
  const faulty = makeFaulty(legacyRevision);
  const session = await faulty.connect();
  await session.listTools();
  for (let count = 0; count < 3; count++) {
    faulty.lose("tasks/result", "before", 400);
  }
  expect(textOf(await session.callTool({ name: "ask" }))).toBe("accept");
  expect(faulty.sent).not.toContain("tasks/cancel");
  // The task may have ended meanwhile.
  const started = await session.tasks.start({ name: "ask" });
  if (!("task" in started)) {
    throw new TypeError("The call did not become a task.");
  }
  await started.result();
  faulty.lose("tasks/result", "before", 400);
  expect(textOf(await started.result())).toBe("accept");
});

test("the input requests of a legacy task reach the request for its result that was sent again", async () => {
  const faulty = makeFaulty(legacyRevision);
  const session = await faulty.connect();
  await session.listTools();
  faulty.cut("tasks/result");
  const called = session.callTool({ name: "later" });
  await expect.poll(() => faulty.received.filter((each) => each === "tasks/result").length).toBe(2);
  // Both requests wait for the task when the server has responded to a later one.
  await session.ping();
  faulty.ask();
  expect(textOf(await called)).toBe("accept");
});

test("a watch goes on when a poll is lost", async () => {
  const faulty = makeFaulty(modernRevision);
  const session = await faulty.connect();
  const started = await session.tasks.start({ name: "ask" });
  if (!("task" in started)) {
    throw new TypeError("The call did not become a task.");
  }
  faulty.lose("tasks/get", "before");
  for await (const { status } of started.watch()) {
    if (status === "input_required") {
      break;
    }
  }
  expect(faulty.sent.filter((each) => each === "tasks/get").length).toBeGreaterThan(1);
});

test.each(revisions)(
  "close waits for the cancellation of an aborted call, even a lost one (%s)",
  async (revision) => {
    const faulty = makeFaulty(revision);
    const session = await faulty.connect();
    await session.listTools();
    faulty.lose("tasks/cancel", "before");
    const abort = new AbortController();
    let id = "";
    const known = deferred();
    const call = session.callTool(
      { name: "endless" },
      {
        signal: abort.signal,
        onTask: (task) => {
          ({ id } = task);
          known.resolve();
        },
      },
    );
    const rejected = expect(call).rejects.toThrow("enough");
    await known.promise;
    abort.abort(new Error("enough"));
    await session.close();
    await rejected;
    await expect.poll(() => faulty.state(id)).toBe("cancelled");
    expect(faulty.errors).toEqual([]);
  },
);

test("close does not wait with a drainMs of 0, and what was not aborted goes on", async () => {
  const faulty = makeFaulty(modernRevision);
  const session = await faulty.connect();
  let id = "";
  const known = deferred();
  const call = session.callTool(
    { name: "endless" },
    {
      onTask: (task) => {
        ({ id } = task);
        known.resolve();
      },
    },
  );
  const rejected = expect(call).rejects.toMatchObject({ code: "CONNECTION_CLOSED" });
  await known.promise;
  await session.close({ drainMs: 0 });
  await rejected;
  expect(await faulty.state(id)).toBe("working");
});
