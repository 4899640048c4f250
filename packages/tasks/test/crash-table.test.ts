import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { Client, type ClientSession } from "@tenon/mcp";
import { taskClient, type RemoteTask, type StartedTask, type TaskReference } from "@tenon/tasks/client";
import { openFileTaskStore } from "@tenon/tasks/file";
import { modernRevision } from "@tenon/test-support";
import { CommandTransport, type CommandConnection } from "@tenon/transports-stdio";
import { rolldown } from "rolldown";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";

// Each row of the table in docs/tasks.md: a process that ends at that moment, and what its
// successor makes of the file that is left.

let folder = "";
let program = "";

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "crash-table-"));
  program = await compile("server");
});

/** Compiles a program so that plain Node can run it. */
async function compile(kind: "client" | "server"): Promise<string> {
  const file = join(folder, `${kind}.mjs`);
  const build = await rolldown({
    input: fileURLToPath(new URL(`fixtures/dying-${kind}.ts`, import.meta.url)),
    platform: "node",
    resolve: { conditionNames: ["@tenon/source", "node", "import"] },
    tsconfig: false,
  });
  await build.write({ file, format: "esm", codeSplitting: false });
  await build.close();
  return file;
}

afterAll(() => rm(folder, { recursive: true }));

interface Running {
  readonly session: ClientSession;
  /** What its handlers noted. */
  readonly notes: string[];
  /** Resolves when the process has ended. */
  readonly ended: Promise<unknown>;
  kill(): Promise<void>;
}

let files = 0;
const newFile = (): string => join(folder, `tasks-${++files}.log`);

async function start(file: string, moment = "never", type = "number"): Promise<Running> {
  const notes: string[] = [];
  const transport = new CommandTransport({
    command: process.execPath,
    args: [program, file, moment, type],
    stderr: (line) => void notes.push(line),
  });
  let connection: CommandConnection | undefined;
  const client = new Client(
    { name: "reader", version: "1.0.0" },
    {
      revisions: [modernRevision],
      elicitation: { form: () => ({ action: "decline" }) },
      onError: () => undefined,
    },
  );
  client.use(taskClient());
  const session = await client.connect({
    async connect(options) {
      connection = await transport.connect(options);
      return connection;
    },
  });
  onTestFinished(() => client.close());
  return {
    session,
    notes,
    ended: session.closed,
    async kill() {
      process.kill(connection?.pid ?? 0, "SIGKILL");
      await session.closed;
    },
  };
}

const call = (name: string) => ({ name, arguments: { n: 1 } });

async function started({ session }: Running, name: string, key?: string): Promise<StartedTask> {
  return (await session.tasks.start(call(name), { idempotencyKey: key })) as StartedTask;
}

/** How often the step ran; the handler may run more often than its process ends. */
const steps = (...all: readonly Running[]): number =>
  all.flatMap(({ notes }) => notes).filter((note) => note === "step").length;

async function reached({ session }: Running, id: string, status: string): Promise<RemoteTask> {
  await expect.poll(async () => (await session.tasks.get(id)).status).toBe(status);
  return session.tasks.get(id);
}

test("row 1: a process that ends before the task is stored leaves nothing, and the call fails", async () => {
  const file = newFile();
  const dying = await start(file, "before create");
  await expect(dying.session.callTool(call("required"))).rejects.toMatchObject({ code: "CONNECTION_CLOSED" });
  const next = await start(file);
  // With the same key a task of the first process would be returned, and have run before.
  const { task } = await started(next, "required", "k");
  await reached(next, task.id, "input_required");
  expect(steps(dying)).toBe(0);
  expect(steps(next)).toBe(1);
});

test("row 2: a task that nobody was told of runs, and a call with the same key gets it", async () => {
  const file = newFile();
  const dying = await start(file, "after create");
  await expect(started(dying, "required", "k")).rejects.toMatchObject({ code: "CONNECTION_CLOSED" });
  const next = await start(file);
  await expect.poll(() => next.notes).toContain("run");
  const first = await started(next, "required", "k");
  await reached(next, first.task.id, "input_required");
  expect((await started(next, "required", "k")).task.id).toBe(first.task.id);
  expect(steps(dying, next)).toBe(1);
  expect(await first.result()).toMatchObject({ content: [{ text: "decline" }] });
});

test("row 3: a handler whose process ends runs again without its steps, as often as it may", async () => {
  const file = newFile();
  const dying = await start(file, "in the handler");
  const { task } = await started(dying, "required");
  await dying.ended;
  const next = await start(file);
  await reached(next, task.id, "input_required");
  expect(dying.notes).toEqual(["step", "run"]);
  expect(next.notes).toContain("run");
  expect(steps(next)).toBe(0);

  const other = newFile();
  const dyingOnce = await start(other, "in the handler");
  const once = await started(dyingOnce, "once");
  await dyingOnce.ended;
  const last = await start(other);
  const failed = await reached(last, once.task.id, "failed");
  expect(failed.error).toMatchObject({ code: -32_603, message: expect.stringContaining("interrupted") });
  expect(last.notes).toEqual([]);
});

test("row 4: a task that waits for input loses nothing", async () => {
  const file = newFile();
  const first = await start(file);
  const { task, reference } = await started(first, "required");
  const before = await reached(first, task.id, "input_required");
  await first.kill();
  const next = await start(file);
  expect(await next.session.tasks.get(task.id)).toEqual(before);
  const again = await next.session.tasks.resume(reference);
  expect(await again.result()).toMatchObject({ content: [{ text: "decline" }] });
  expect(steps(next)).toBe(0);
});

test("row 5: a handler whose result was not stored runs again", async () => {
  const file = newFile();
  const dying = await start(file, "before the result is stored");
  const { task } = await started(dying, "required");
  await expect(dying.session.tasks.result(task.id)).rejects.toThrow();
  await dying.ended;
  const next = await start(file);
  expect(await next.session.tasks.result(task.id)).toMatchObject({ content: [{ text: "decline" }] });
  expect(next.notes).toContain("run");
  expect(steps(next)).toBe(0);
});

test("row 7: without a store an optional call runs in its request, and a required one fails", async () => {
  const { session } = await start(newFile(), "store down");
  expect(await session.callTool(call("optional"))).toMatchObject({ content: [{ text: "decline" }] });
  await expect(session.callTool(call("required"))).rejects.toMatchObject({ code: -32_603 });
});

test("row 8: a new version whose schema does not allow the arguments ends the task without a run", async () => {
  const file = newFile();
  const dying = await start(file, "in the handler");
  const { task } = await started(dying, "required");
  await dying.ended;
  const next = await start(file, "never", "string");
  // As a call with these arguments would end.
  const { result } = await reached(next, task.id, "completed");
  expect(result).toMatchObject({ isError: true, content: [{ text: expect.stringContaining("n") }] });
  expect(next.notes).toEqual([]);
});

test("row 9: a client that is killed leaves its task to the next client", async () => {
  const file = newFile();
  const dying = spawn(process.execPath, [await compile("client"), program, file], {
    stdio: ["ignore", "pipe", "ignore"],
  });
  onTestFinished(() => void dying.kill("SIGKILL"));
  const [line] = (await once(dying.stdout, "data")) as [Buffer];
  dying.kill("SIGKILL");
  // Its server sees the end of its input, and releases the file.
  await expect.poll(() => openFileTaskStore(file).then((store) => store.close(), String)).toBeUndefined();
  const next = await start(file);
  const again = await next.session.tasks.resume(JSON.parse(line.toString()) as TaskReference);
  expect(await again.result()).toMatchObject({ content: [{ text: "decline" }] });
  expect(steps(next)).toBe(0);
});
