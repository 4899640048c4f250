import { wrapTransport, type Transport } from "@tenon/jsonrpc2";
import { Client, type ClientOptions, type ClientSession, type ServerSession } from "@tenon/mcp";
import { createTaskEngine, type TaskEngine } from "@tenon/tasks";
import { taskClient } from "@tenon/tasks/client";
import { legacyRevision, modernRevision } from "@tenon/test-support";
import { compiledProgram } from "@tenon/test-support/processes";
import { createInMemoryTransports } from "@tenon/transports-memory";
import { CommandTransport } from "@tenon/transports-stdio";
import { StreamableClientTransport } from "@tenon/transports-streamable-http/client";
import { createMemoryEventStore, createStreamableHandler } from "@tenon/transports-streamable-http/server";
import { describe, expect, onTestFinished, test } from "vitest";

import { textOf } from "./pair.ts";
import { createAskingServer } from "./support/asking-server.ts";

// A client of 2025-11-25 keeps requests of the server as tasks, over every transport.

/** Connects the client to a server that asks. */
type Shape = () => Promise<Transport>;

function overHttp({ hasStream, hasStore }: { hasStream: boolean; hasStore: boolean }): Shape {
  return () => {
    const server = createAskingServer(() => {});
    const sessions = hasStore ? { eventStore: createMemoryEventStore() } : {};
    // So long the server waits for the stream.
    const limits = { retryMs: hasStream ? 1000 : 1 };
    const handler = createStreamableHandler({ getServer: () => server, sessions, limits });
    onTestFinished(() => handler.close({ drainMs: 0 }));
    const fetch = (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
      const request = new Request(input, init);
      return request.method === "GET" && !hasStream
        ? Promise.resolve(new Response(null, { status: 405 }))
        : handler.fetch(request);
    };
    const url = new URL("http://127.0.0.1/mcp");
    return Promise.resolve(new StreamableClientTransport(url, { fetch, eras: false }));
  };
}

const shapes: Readonly<Record<string, Shape>> = {
  memory: async () => {
    const [here, there] = createInMemoryTransports();
    const server = createAskingServer();
    await server.connect(there);
    onTestFinished(() => server.close({ drainMs: 0 }));
    return here;
  },
  stdio: async () => {
    const program = await compiledProgram(new URL("fixtures/asking.ts", import.meta.url));
    return new CommandTransport({ command: process.execPath, args: [program] });
  },
  "HTTP with a stream": overHttp({ hasStream: true, hasStore: false }),
  "HTTP with a stream and a store": overHttp({ hasStream: true, hasStore: true }),
  "HTTP without a stream": overHttp({ hasStream: false, hasStore: false }),
  "HTTP without a stream, with a store": overHttp({ hasStream: false, hasStore: true }),
};

interface Hosting {
  readonly session: ClientSession;
  readonly engine: TaskEngine;
  /** The methods of the requests that the client received. */
  readonly asked: readonly string[];
  /** The messages that the client sent. */
  readonly sent: readonly object[];
  readonly errors: readonly unknown[];
}

const handlers: ClientOptions = {
  elicitation: { form: () => ({ action: "accept", content: { name: "Ada" } }) },
  sampling: {
    createMessage: () => ({ role: "assistant", content: { type: "text", text: "written" }, model: "m" }),
  },
};

async function open(shape: Shape, options: ClientOptions = {}): Promise<Hosting> {
  const errors: unknown[] = [];
  const onError = (error: unknown): void => void errors.push(error);
  const engine = createTaskEngine({ limits: { pollIntervalMs: 1 }, onError });
  const client = new Client(
    { name: "hosting", version: "1.0.0" },
    { revisions: [legacyRevision], onError, ...handlers, ...options },
  );
  client.use(taskClient({ engine }));
  const asked: string[] = [];
  const sent: object[] = [];
  const transport = wrapTransport(await shape(), {
    onRead: (message) => {
      if ("method" in message && "id" in message) {
        asked.push(message.method);
      }
      return message;
    },
    onWrite: (message) => {
      sent.push(message);
      return message;
    },
  });
  const session = await client.connect(transport);
  onTestFinished(async () => {
    await client.close();
    await engine.close({ drainMs: 0 });
  });
  return { session, engine, asked, sent, errors };
}

const accepted = { action: "accept", content: { name: "Ada" } };

describe.each(Object.entries(shapes))("over %s", (name, shape) => {
  test("a client keeps elicitation and sampling as tasks, on the stream of the request (R-671, R-676)", async () => {
    const { session, asked, sent, errors } = await open(shape);
    expect(session.declaredCapabilities).toMatchObject({
      tasks: {
        list: {},
        cancel: {},
        requests: { sampling: { createMessage: {} }, elicitation: { create: {} } },
      },
    });
    expect(JSON.parse(textOf(await session.callTool({ name: "in-request" })))).toEqual(accepted);
    expect(asked[0]).toBe("elicitation/create");
    expect(asked.at(-1)).toBe("tasks/result");
    expect(textOf(await session.callTool({ name: "sampled" }))).toContain("written");
    const created = sent.flatMap((message) => ("result" in message ? [message.result] : []));
    expect(created[0]).toMatchObject({ task: { status: "working", pollInterval: 1 } });
    expect(created).toContainEqual(
      expect.objectContaining({
        _meta: { "io.modelcontextprotocol/related-task": { taskId: expect.any(String) } },
      }),
    );
    expect(errors).toEqual([]);
  });

  test("a request of the session itself becomes a task where the client has a stream (R-671)", async () => {
    const { session, asked } = await open(shape);
    const result = await session.callTool({ name: "in-session" });
    if (name.startsWith("HTTP without")) {
      expect(result).toMatchObject({ isError: true });
      expect(asked).toEqual([]);
      return;
    }
    expect(JSON.parse(textOf(result))).toEqual([accepted, "working 90000", "completed 90000"]);
    expect(asked.slice(-1)).toEqual(["tasks/result"]);
  });

  test("a wait that takes too long cancels the task of the client (R-417)", async () => {
    let aborted = false;
    const never = (_: unknown, { signal }: { readonly signal: AbortSignal }): Promise<never> =>
      new Promise((_resolve, reject) => {
        signal.addEventListener("abort", () => {
          aborted = true;
          reject(signal.reason as Error);
        });
      });
    const { session, asked } = await open(shape, { elicitation: { form: never } });
    expect(textOf(await session.callTool({ name: "limited" }))).toBe('"TIMEOUT"');
    await expect.poll(() => asked.includes("tasks/cancel")).toBe(true);
    await expect.poll(() => aborted).toBe(true);
  });
});

/** A client and the session of its server, to send requests by hand. */
async function openRaw(
  options?: ClientOptions,
): Promise<Hosting & { readonly peer: ServerSession; close(): Promise<void> }> {
  const [here, there] = createInMemoryTransports();
  const server = createAskingServer();
  const peer = await server.connect(there);
  onTestFinished(() => server.close({ drainMs: 0 }));
  const hosting = await open(() => Promise.resolve(here), options);
  await expect.poll(() => peer.initialized).toBe(true);
  return { ...hosting, peer, close: () => hosting.session.close() };
}

const question = { message: "Name?", requestedSchema: { type: "object", properties: {} } };
interface Created {
  readonly task: { readonly taskId: string; readonly status: string };
}

test("a hosted task follows the rules of receivers (R-674, R-676, R-680, R-681)", async () => {
  let answer: (outcome: { readonly action: "decline" }) => void = () => undefined;
  const form = (): Promise<{ readonly action: "decline" }> =>
    new Promise((resolve) => {
      answer = resolve;
    });
  const { peer } = await openRaw({ elicitation: { form } });
  const create = async (): Promise<string> => {
    const { task } = (await peer.request("elicitation/create", { ...question, task: {} })) as Created;
    expect(task.status).toBe("working");
    return task.taskId;
  };
  const first = await create();
  const second = await create();
  const { tasks } = (await peer.request("tasks/list", {})) as { readonly tasks: Created["task"][] };
  expect(tasks.map(({ taskId }) => taskId).toSorted()).toEqual([first, second].toSorted());
  const result = peer.request("tasks/result", { taskId: second });
  answer({ action: "decline" });
  expect(await result).toMatchObject({ action: "decline" });
  expect(await peer.request("tasks/get", { taskId: second })).toMatchObject({ status: "completed" });
  expect(await peer.request("tasks/cancel", { taskId: first })).toMatchObject({ status: "cancelled" });
  for (const taskId of [first, second, "unknown"]) {
    await expect(peer.request("tasks/cancel", { taskId })).rejects.toMatchObject({ code: -32_602 });
  }
  for (const method of ["tasks/get", "tasks/result"]) {
    await expect(peer.request(method, { taskId: "unknown" })).rejects.toMatchObject({ code: -32_602 });
  }
  await expect(peer.request("tasks/list", { cursor: "§" })).rejects.toMatchObject({ code: -32_602 });
  await expect(peer.request("tasks/result", { taskId: first })).rejects.toMatchObject({ code: -32_603 });
});

test("a hosted task fails with the error of its request, and reports each state (R-682)", async () => {
  const { peer, sent } = await openRaw();
  const wrong = { message: "Name?", requestedSchema: { type: "string" }, task: {} };
  const { task } = (await peer.request("elicitation/create", wrong)) as Created;
  await expect(peer.request("tasks/result", { taskId: task.taskId })).rejects.toMatchObject({
    code: -32_602,
  });
  await expect
    .poll(() => sent)
    .toContainEqual(
      expect.objectContaining({
        method: "notifications/tasks/status",
        params: expect.objectContaining({ taskId: task.taskId, status: "failed" }),
      }),
    );
});

test("the tasks of a session are hidden from other sessions, and end with it (R-683)", async () => {
  const signals: AbortSignal[] = [];
  const form = (_: unknown, { signal }: { readonly signal: AbortSignal }): Promise<never> => {
    signals.push(signal);
    return new Promise((_resolve, reject) => {
      signal.addEventListener("abort", () => reject(signal.reason as Error));
    });
  };
  const { peer, session, close } = await openRaw({ elicitation: { form } });
  const { client } = session as unknown as { readonly client: Client };
  const [here, there] = createInMemoryTransports();
  const other = await createAskingServer().connect(there);
  await client.connect(here);
  await expect.poll(() => other.initialized).toBe(true);
  const { task } = (await peer.request("elicitation/create", { ...question, task: {} })) as Created;
  await expect(other.request("tasks/get", { taskId: task.taskId })).rejects.toMatchObject({ code: -32_602 });
  expect(await other.request("tasks/list", {})).toEqual({ tasks: [] });
  await other.request("elicitation/create", { ...question, task: {} });
  await expect.poll(() => signals.length).toBe(2);
  await close();
  await expect.poll(() => signals.map(({ aborted }) => aborted)).toEqual([true, false]);
});

test("no more tasks are hosted than the engine may keep and run (R-683)", async () => {
  const { createMemoryTaskStore } = await import("@tenon/tasks");
  await using store = createMemoryTaskStore({ limits: { maxTasksPerPrincipal: 2 } });
  await using engine = createTaskEngine({ store, limits: { maxRunningPerPrincipal: 1 } });
  let running = 0;
  let most = 0;
  const form = (): Promise<never> => {
    most = Math.max(most, ++running);
    return new Promise(() => {});
  };
  const client = new Client(
    { name: "hosting", version: "1.0.0" },
    { revisions: [legacyRevision], elicitation: { form } },
  );
  client.use(taskClient({ engine }));
  const [here, there] = createInMemoryTransports();
  const peer = await createAskingServer().connect(there);
  await client.connect(here);
  onTestFinished(() => client.close());
  await expect.poll(() => peer.initialized).toBe(true);
  const ask = (): Promise<unknown> => peer.request("elicitation/create", { ...question, task: {} });
  await ask();
  await ask();
  await expect(ask()).rejects.toMatchObject({ code: -32_603, message: "No room for another task" });
  expect(most).toBe(1);
  await engine.close({ drainMs: 0 });
});

test("what is not declared is not hosted, and tasks are declared where they exist only (R-670, R-708)", async () => {
  const { session, peer } = await openRaw({ sampling: undefined });
  expect(session.declaredCapabilities).toMatchObject({
    tasks: { requests: { elicitation: { create: {} } } },
  });
  expect(session.declaredCapabilities).not.toHaveProperty("tasks.requests.sampling");
  expect(peer.clientCapabilities).toEqual(session.declaredCapabilities);
  const none = await openRaw({ sampling: undefined, elicitation: undefined });
  expect(none.session.declaredCapabilities).not.toHaveProperty("tasks");
  await expect(none.peer.request("tasks/list", {})).rejects.toMatchObject({ code: "CAPABILITY_MISSING" });
  const [here, there] = createInMemoryTransports();
  await createAskingServer().connect(there);
  const modern = await open(() => Promise.resolve(here), { revisions: [modernRevision] });
  expect(modern.session.declaredCapabilities).toMatchObject({ elicitation: {} });
  expect(modern.session.declaredCapabilities).not.toHaveProperty("tasks");
});

test("a client without an engine answers at once, whatever the server asks for (R-670)", async () => {
  const client = new Client(
    { name: "plain", version: "1.0.0" },
    { revisions: [legacyRevision], ...handlers },
  );
  client.use(taskClient());
  const [here, there] = createInMemoryTransports();
  const peer = await createAskingServer().connect(there);
  const session = await client.connect(here);
  onTestFinished(() => client.close());
  expect(JSON.parse(textOf(await session.callTool({ name: "in-request" })))).toEqual(accepted);
  const outcome = await peer.request("elicitation/create", { ...question, task: {} });
  expect(outcome).toMatchObject({ action: "accept" });
});
