import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

import { createMemoryTaskStore, createTaskEngine, type TaskDefinition, type TaskEngine } from "@tenon/tasks";
import { openFileTaskStore } from "@tenon/tasks/file";

import { formatBytes, formatCount, formatTime } from "../../format.ts";
import { concurrentLoop, sequentialLoop } from "../../loops/async.ts";
import { find, interleave, type Subject } from "../../runner.ts";
import type { Budget, Suite } from "../../suite.ts";
import { plainCalls, plainRows } from "./plain-calls.ts";

const candidate = "tenon";
const unlimited = { maxTasks: Infinity, maxLength: Infinity };
const watched = 10_000;

const works = {
  memory: "create, run and get, memory",
  file: "create, file, 256 at a time",
  one: "update and notify, 1 watched task",
  many: `update and notify, ${watched} watched tasks`,
} as const;

/** Most nanoseconds, fewest creations per second, most bytes. */
const limits = { memory: 60_000, file: 5000, parked: 2048 } as const;

const job: TaskDefinition = { name: "job", version: "1", run: (task) => task.arguments };
const external: TaskDefinition = { name: "external", version: "1" };

/** Tasks that are watched, and a call that changes one of them and waits for the listener. */
async function watching(engine: TaskEngine, count: number): Promise<(index: number) => Promise<void>> {
  const ids: string[] = [];
  for (let index = 0; index < count; index++) {
    ids.push((await engine.start({ definition: external })).id);
  }
  let told = (): void => {};
  await engine.watch(ids, "", () => told());
  return (index) =>
    new Promise((resolve, reject) => {
      told = resolve;
      engine.status(ids[index % count] ?? "", String(index)).catch(reject);
    });
}

/** The heap bytes of a parked task, measured in a process of its own. */
async function parkedBytes(): Promise<number> {
  const program = fileURLToPath(new URL("programs/parked.mjs", import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, ["--expose-gc", program]);
  return Number(stdout);
}

/** What tasks cost, and what they cost calls that are none. */
export const tasks: Suite = {
  name: "tasks",
  description: "tasks in memory and in a file: creation, runs, watches, and what a parked task holds",
  async run({ rounds, wants, log }) {
    const folder = await mkdtemp(join(tmpdir(), "tasks-"));
    const store = await openFileTaskStore(join(folder, "tasks.log"), { limits: unlimited });
    const engine = createTaskEngine({ store: createMemoryTaskStore({ limits: unlimited }) });
    const durable = createTaskEngine({ store });
    const createRunGet = async (index: number): Promise<void> => {
      const { id } = await engine.start({ definition: job, arguments: index });
      const ended = await engine.result(id, "");
      if (ended?.state !== "completed") {
        throw new Error(`Expected a completed task, got ${ended?.state}`);
      }
    };
    const create = async (): Promise<void> => {
      await durable.start({ definition: external, arguments: { path: "/some/file" } });
    };
    const all: Subject[] = [
      { candidate, work: works.memory, sample: sequentialLoop(createRunGet, { calls: 5000 }) },
      { candidate, work: works.file, sample: concurrentLoop(create, { calls: 10_000, concurrency: 256 }) },
      { candidate, work: works.one, sample: sequentialLoop(await watching(engine, 1)) },
      { candidate, work: works.many, sample: sequentialLoop(await watching(engine, watched)) },
      ...(await plainCalls()),
    ];
    const measurements = await interleave(
      all.filter(({ work }) => wants(work)),
      { rounds, onRound: (round, of) => log(`round ${round} of ${of}`) },
    );
    await Promise.all([engine.close(), durable.close()]);
    await store.close();
    await rm(folder, { recursive: true });
    const medianOf = (work: string, metric: string): number | undefined =>
      find(measurements, { candidate, work, metric })?.median;
    const parked = await parkedBytes();
    const memory = medianOf(works.memory, "ns");
    const perSecond = medianOf(works.file, "callsPerSecond");
    const budgets: Budget[] = [
      { name: "parked task, bytes", actual: parked, limit: limits.parked },
      ...(memory === undefined
        ? []
        : [{ name: `${works.memory}, ns`, actual: memory, limit: limits.memory }]),
      ...(perSecond === undefined
        ? []
        : [{ name: `${works.file}, ns of each`, actual: 1e9 / perSecond, limit: 1e9 / limits.file }]),
    ];
    const times = [works.memory, works.one, works.many].flatMap((work) => {
      const ns = medianOf(work, "ns");
      return ns === undefined ? [] : [[work, formatTime(ns)]];
    });
    const rows = [
      ...times,
      ...(perSecond === undefined ? [] : [[works.file, `${formatCount(perSecond)} per second`]]),
      ["heap of a parked task", formatBytes(parked)],
    ];
    const tables = [
      { title: "tasks", columns: ["", "found"], rows },
      {
        title: "calls that are no tasks",
        columns: ["", "the extension", "time", "allocated"],
        rows: plainRows(measurements),
      },
    ];
    return { tables, measurements, budgets, notes: [] };
  },
};
