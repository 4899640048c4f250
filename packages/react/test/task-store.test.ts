import { Client, type ClientSession } from "@tenon/mcp/client";
import { taskClient } from "@tenon/tasks/client";
import { bothEras, modernRevision } from "@tenon/test-support";
import { StreamableClientTransport } from "@tenon/transports-streamable-http/client";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";

import { createInputs, type Inputs } from "../src/inputs.ts";
import { createTaskMemory, createTaskStore, type TaskMemory, type ToolTasks } from "../src/task-store.ts";
import { openKitchen, type Kitchen } from "./kitchen.ts";

let kitchen: Kitchen;
let url: string;

beforeAll(async () => {
  kitchen = await openKitchen();
  ({ url } = kitchen);
});
afterAll(() => kitchen[Symbol.asyncDispose]());

interface Connected {
  readonly session: ClientSession;
  readonly inputs: Inputs;
}

async function connect(revision: string): Promise<Connected> {
  const inputs = createInputs(["form"], () => {});
  const client = new Client(
    { name: "page", version: "1.0.0" },
    { revisions: [revision as never], elicitation: inputs.handlers, onError: () => {} },
  );
  client.use(taskClient());
  onTestFinished(() => client.close());
  return { session: await client.connect(new StreamableClientTransport(url)), inputs };
}

interface Mounted {
  readonly shown: () => ToolTasks;
  readonly unmount: () => void;
}

/** As a component that uses the hook. */
function mount(
  session: ClientSession | undefined,
  tool: string,
  memory = createTaskMemory(undefined),
  inputs: Inputs["list"] = () => [],
): Mounted {
  const store = createTaskStore(session, tool, memory, inputs);
  const unmount = store.subscribe(() => {});
  onTestFinished(unmount);
  return { shown: store.snapshot, unmount };
}

const until = (mounted: Mounted, status: ToolTasks["status"]): Promise<void> =>
  expect.poll(() => mounted.shown()).toMatchObject({ status });
const text = (value: string): object => ({ content: [{ type: "text", text: value }] });

describe.each(bothEras)("tasks of a server of %s", (revision) => {
  test("a task shows its state, its progress and its result, and is known until its end", async () => {
    const { session } = await connect(revision);
    const bake = mount(session, "bake");
    expect(bake.shown()).toMatchObject({ status: "idle", taskId: undefined });
    const result = bake.shown().start();
    expect(bake.shown().status).toBe("running");
    await expect.poll(() => bake.shown().task?.statusMessage).toBe("1/2 half");
    const progress = { progress: 1, total: 2, message: "half" };
    expect(bake.shown()).toMatchObject({
      progress,
      taskId: bake.shown().task?.id,
      task: { status: "working" },
    });
    kitchen.runs.at(-1)?.gate.resolve();
    expect(await result).toMatchObject(text(`cake ${kitchen.runs.length}`));
    expect(bake.shown()).toMatchObject({ status: "done", taskId: undefined, progress: undefined });
    expect(bake.shown().result).toEqual(await result);
  });

  test("a cancelled task ends at the server, and a new one replaces the running one", async () => {
    const { session } = await connect(revision);
    const bake = mount(session, "bake");
    const first = bake.shown().start();
    await expect.poll(() => bake.shown().taskId).toBeDefined();
    const { taskId } = bake.shown();
    const second = bake.shown().start();
    expect(await first).toBeUndefined();
    expect((await session.tasks.get(String(taskId))).status).toBe("cancelled");
    await expect.poll(() => bake.shown().taskId).not.toBe(taskId);
    bake.shown().cancel();
    expect(await second).toBeUndefined();
    expect(bake.shown()).toMatchObject({ status: "cancelled", taskId: undefined, error: undefined });
    await expect.poll(() => kitchen.runs.at(-1)?.signal.aborted).toBe(true);
    const third = bake.shown().start();
    bake.shown().cancel();
    expect(await third).toBeUndefined();
    expect(bake.shown().status).toBe("cancelled");
  });

  test("the user responds to the input requests of a task, and those of a cancelled one disappear", async () => {
    const { session, inputs } = await connect(revision);
    const ask = mount(session, "ask", createTaskMemory(undefined), inputs.list);
    const result = ask.shown().start();
    await expect.poll(() => inputs.list().length).toBe(1);
    inputs.list()[0]?.decline();
    expect(await result).toMatchObject(text("decline"));
    const next = ask.shown().start();
    await expect.poll(() => inputs.list().length).toBe(1);
    ask.shown().cancel();
    expect(await next).toBeUndefined();
    await expect.poll(() => inputs.list().length).toBe(0);
  });

  test("a task whose input request fails is still known, and can be cancelled", async () => {
    const { session, inputs } = await connect(revision);
    const ask = mount(session, "ask", createTaskMemory(undefined), inputs.list);
    const result = ask.shown().start();
    // A legacy server repeats the request.
    for (let key = 1; key <= (revision === modernRevision ? 1 : 3); key++) {
      await expect.poll(() => inputs.list()[0]?.key).toBe(key);
      const input = inputs.list()[0];
      if (input?.kind === "form") {
        input.accept({ color: 7 });
      }
    }
    expect(await result).toBeUndefined();
    const taskId = String(ask.shown().taskId);
    expect(ask.shown()).toMatchObject({ status: "failed", task: { id: taskId, status: "input_required" } });
    ask.shown().cancel();
    await until(ask, "cancelled");
    expect((await session.tasks.get(taskId)).status).toBe("cancelled");
  });

  test("a task continues without the component, and the next connection follows it", async () => {
    const memory: TaskMemory = createTaskMemory(undefined);
    const first = await connect(revision);
    const bake = mount(first.session, "bake", memory);
    void bake.shown().start();
    await expect.poll(() => bake.shown().taskId).toBeDefined();
    const taskId = String(bake.shown().taskId);
    await first.session.close();
    await until(bake, "waiting");
    bake.unmount();
    expect(mount(undefined, "bake", memory).shown()).toMatchObject({ status: "waiting", taskId });

    const second = await connect(revision);
    expect((await second.session.tasks.get(taskId)).status).toBe("working");
    const again = mount(second.session, "bake", memory);
    const stored = mount(second.session, "bake", createTaskMemory(taskId));
    expect(again.shown()).toMatchObject({ status: "running", taskId });
    if (revision === modernRevision) {
      await expect.poll(() => stored.shown().progress).toMatchObject({ progress: 1, total: 2 });
    }
    kitchen.runs.at(-1)?.gate.resolve();
    await until(again, "done");
    await until(stored, "done");
    expect(stored.shown().result).toMatchObject(text(`cake ${kitchen.runs.length}`));
  });

  test("a call that becomes no task, and one that fails, are shown", async () => {
    const { session } = await connect(revision);
    const price = mount(session, "price");
    expect(await price.shown().start()).toMatchObject(text("12 €"));
    expect(price.shown()).toMatchObject({ status: "done", task: undefined });
    const burn = mount(session, "burn");
    expect(await burn.shown().start()).toMatchObject({ isError: true });
    const crash = mount(session, "crash");
    expect(await crash.shown().start()).toBeUndefined();
    expect(crash.shown()).toMatchObject({ status: "failed", taskId: undefined, task: { status: "failed" } });
    const lost = mount(session, "bake", createTaskMemory("none"));
    await until(lost, "failed");
    expect(lost.shown()).toMatchObject({ taskId: undefined, error: { code: "TASK_LOST" } });
  });
});

test("a client without tasks, and a page without a connection, say what is missing", async () => {
  const client = new Client({ name: "page", version: "1.0.0" });
  onTestFinished(() => client.close());
  const session = await client.connect(new StreamableClientTransport(url));
  const stored = mount(session, "bake", createTaskMemory("one"));
  await until(stored, "failed");
  expect(String(stored.shown().error)).toMatch("prepare: (client) => client.use(taskClient())");
  const bake = mount(session, "bake");
  expect(await bake.shown().start()).toBeUndefined();
  expect(String(bake.shown().error)).toMatch("taskClient");
  const offline = mount(undefined, "bake");
  expect(await offline.shown().start()).toBeUndefined();
  expect(String(offline.shown().error)).toMatch("Cannot call bake: the server is not connected.");
});
