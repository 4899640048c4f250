import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";

import { createTaskEngine } from "@tenon/tasks";
import { compiledProgram } from "@tenon/test-support/processes";
import { afterAll, expect, onTestFinished, test } from "vitest";

import { openStores, type StorePlace } from "./cluster/connect.ts";
import { kinds, stopServers } from "./cluster/stores.ts";
import { jobOf } from "./workers/job.ts";
import type { Report } from "./workers/program.ts";

const tasks = 500;

afterAll(stopServers);

let program: Promise<string> | undefined;

/** Starts a worker in a process of its own. @param hangsAfter - So many runs end, and no more. */
async function startWorker(
  place: StorePlace,
  onReport: (report: Report) => void,
  hangsAfter?: number,
): Promise<ChildProcess> {
  program ??= compiledProgram(new URL("workers/program.ts", import.meta.url));
  const args = [JSON.stringify(place), ...(hangsAfter === undefined ? [] : [String(hangsAfter)])];
  const child = fork(await program, args, { execArgv: [] });
  onTestFinished(async () => {
    if (child.exitCode === null && child.signalCode === null) {
      child.kill("SIGKILL");
      await once(child, "exit");
    }
  });
  child.on("message", onReport);
  await once(child, "message");
  return child;
}

for (const kind of ["redis", "postgres"] as const) {
  test.skipIf(kinds[kind] === undefined)(
    `one of three workers is killed under ${tasks} tasks: none is lost, and no final state changes (${kind}, skipped without a server)`,
    async () => {
      const { place } = await (kinds[kind] as NonNullable<(typeof kinds)[string]>)();
      await using opened = await openStores(place as StorePlace);
      const store = opened.stores.tasks;
      await using engine = createTaskEngine({ store, limits: { maxRunning: 0 } });
      const ids: string[] = [];
      for (let index = 0; index < tasks; index++) {
        const job = jobOf(() => Promise.resolve());
        ids.push((await engine.start({ definition: job, arguments: index })).id);
      }
      const ended: string[] = [];
      let kill: () => void = () => undefined;
      const hangs = new Promise<void>((resolve) => (kill = resolve));
      const onReport = (report: Report): void => {
        if (report === "hangs") {
          kill();
        } else if (report !== "ready") {
          ended.push(report.ended);
        }
      };
      const killed = await startWorker(place as StorePlace, onReport, 20);
      await hangs;
      await Promise.all([
        startWorker(place as StorePlace, onReport),
        startWorker(place as StorePlace, onReport),
      ]);
      killed.kill("SIGKILL");
      await once(killed, "exit");
      const outcomes = await Promise.all(ids.map(async (id) => (await engine.result(id, ""))?.outcome));
      expect(outcomes).toEqual(ids.map((_, result) => ({ result })));
      const records = await Promise.all(ids.map((id) => store.get(id, "")));
      // One update has ended each task: none was repeated after the kill.
      expect(new Set(records.map((record) => record?.version))).toEqual(new Set([2]));
      expect(new Set(ended).size).toBe(ended.length);
      expect(records.filter((record) => (record?.fence ?? 0) > 1).length).toBeGreaterThan(0);
    },
  );
}
