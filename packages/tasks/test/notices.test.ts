import type { Server } from "@tenon/mcp";
import type { Revision } from "@tenon/protocol";
import type { RemoteTask, StartedTask } from "@tenon/tasks/client";
import { bothEras, legacyRevision } from "@tenon/test-support";
import { expect, test } from "vitest";

import { connect, textOf } from "./pair.ts";

// What a client learns of its tasks without a request of its own, and how it ends them.

const revision: Revision = legacyRevision;

/** A tool that goes on when it is told to. */
function gated(): { readonly add: (server: Server) => void; readonly open: () => void } {
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  const add = (server: Server): void => {
    server.addTool({ name: "gated", task: "required" }, async (_, { progress }) => {
      await progress(1, 3, "one");
      await opened;
      await progress(2, 3, "two");
      return "done";
    });
    server.addTool({ name: "endless", task: "required" }, (_, { signal }) => {
      return new Promise<string>((_resolve, reject) => {
        signal.addEventListener("abort", () => reject(signal.reason as Error));
      });
    });
    server.addTool({ name: "plain" }, () => "plain");
  };
  return { add, open: () => open() };
}

interface Sent {
  readonly id?: number;
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>>;
}

const methodsOf = (messages: readonly object[]): readonly string[] =>
  (messages as readonly Sent[]).flatMap(({ method }) => method ?? []);

test("the server sends each state of a task, and progress until its end (R-437, R-679)", async () => {
  const { add, open } = gated();
  const { session, received } = await connect({ revision, hasTasks: false }, add);
  const created: object = await session.request("tools/call", {
    name: "gated",
    task: {},
    _meta: { progressToken: "mine" },
  } as never);
  const { taskId } = (created as { readonly task: { readonly taskId: string } }).task;
  const notices = (): readonly Sent[] =>
    (received as readonly Sent[]).filter(({ method }) => method?.startsWith("notifications/"));
  await expect.poll(() => notices().length).toBe(2);
  expect(notices()).toMatchObject([
    {
      method: "notifications/progress",
      params: { progressToken: "mine", progress: 1, total: 3, message: "one" },
    },
    { method: "notifications/tasks/status", params: { taskId, status: "working", statusMessage: "1/3 one" } },
  ]);
  open();
  await expect.poll(() => notices().at(-1)?.params?.["status"]).toBe("completed");
  const ended = notices().length;
  expect(notices().every(({ params }) => params?.["_meta"] === undefined)).toBe(true);
  await session.request("tasks/result", { taskId });
  expect(notices()).toHaveLength(ended);
});

test("a notification makes a client read a task at once, whatever the pace of polls (R-682)", async () => {
  const { add, open } = gated();
  const engine = { limits: { pollIntervalMs: 60_000, statusIntervalMs: 0 } };
  const { session } = await connect({ revision, engine }, add);
  const started = (await session.tasks.start({ name: "gated" })) as StartedTask;
  const states: string[] = [];
  const watching = (async () => {
    for await (const { status } of started.watch()) {
      states.push(status);
    }
  })();
  await session.listTools();
  const seen: RemoteTask[] = [];
  const call = session.callTool({ name: "gated" }, { onTask: (task) => void seen.push(task) });
  await expect.poll(() => seen.at(-1)?.statusMessage).toBe("1/3 one");
  open();
  expect(textOf(await call)).toBe("done");
  await watching;
  expect(states.at(-1)).toBe("completed");
});

test.each(bothEras)("progress of a task reaches the caller (R-437, %s)", async (era) => {
  const { add, open } = gated();
  const { session } = await connect({ revision: era }, add);
  await session.listTools();
  const seen: unknown[] = [];
  const call = session.callTool({ name: "gated" }, { onProgress: (each) => void seen.push(each) });
  await expect.poll(() => seen.length).toBe(1);
  expect(seen[0]).toMatchObject({ progress: 1, total: 3, message: "one" });
  open();
  await call;
});

test("a call that asked for a task is cancelled by tasks/cancel alone (R-417)", async () => {
  const { add } = gated();
  const { session, sent, engine } = await connect({ revision }, add);
  await session.listTools();
  const before = new AbortController();
  const early = session.callTool({ name: "endless" }, { signal: before.signal });
  before.abort(new Error("at once"));
  await expect(early).rejects.toThrow("at once");
  const after = new AbortController();
  const onTask = (): void => after.abort(new Error("later"));
  const late = session.callTool({ name: "endless" }, { signal: after.signal, onTask });
  await expect(late).rejects.toThrow("later");
  const cancelled = (): readonly Sent[] =>
    (sent as readonly Sent[]).filter(({ method }) => method === "tasks/cancel");
  await expect.poll(() => cancelled().length).toBe(2);
  expect(methodsOf(sent)).not.toContain("notifications/cancelled");
  for (const { params } of cancelled()) {
    await expect
      .poll(async () => (await engine.get(String(params?.["taskId"]), ""))?.state)
      .toBe("cancelled");
  }
});

test("a notification that cancels the request of a task does not cancel the task (R-417)", async () => {
  const { add } = gated();
  const { session, sent, engine } = await connect({ revision }, add);
  const started = (await session.tasks.start({ name: "endless" })) as StartedTask;
  const call = (sent as readonly Sent[]).find(({ method }) => method === "tools/call");
  await session.notify("notifications/cancelled", { requestId: call?.id });
  await session.ping();
  expect((await engine.get(started.task.id, ""))?.state).toBe("working");
});

test("a start of a tool that is not listed with tasks returns the result (R-481)", async () => {
  const { add } = gated();
  const { session, sent } = await connect({ revision }, add);
  expect(await session.tasks.start({ name: "plain" })).toMatchObject({ content: [{ text: "plain" }] });
  await expect(session.tasks.start({ name: "nothing" })).rejects.toMatchObject({ code: -32_602 });
  const calls = (sent as readonly Sent[]).filter(({ method }) => method === "tools/call");
  expect(calls.map(({ params }) => params?.["task"])).toEqual([undefined, undefined]);
});
