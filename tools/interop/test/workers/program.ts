import { createTaskEngine, isFinal, type TaskStore } from "@tenon/tasks";

import { openStores, type StorePlace } from "../cluster/connect.ts";
import { jobOf } from "./job.ts";

/** A report of a worker to its parent. */
export type Report = { readonly ended: string } | "hangs" | "ready";

const [place = "", hangsAfter = ""] = process.argv.slice(2);
const tell = (report: Report): void => void process.send?.(report);
const { stores } = await openStores(JSON.parse(place) as StorePlace);
let runs = 0;

/** The store, which reports every final state that this worker has written. */
const tasks: TaskStore = {
  ...stores.tasks,
  async update(id, patch, condition) {
    const updated = await stores.tasks.update(id, patch, condition);
    if (typeof updated === "object" && isFinal(updated.state)) {
      tell({ ended: id });
    }
    return updated;
  },
};

const engine = createTaskEngine({
  store: tasks,
  limits: { leaseMs: 2000, sweepIntervalMs: 50, maxRunningPerPrincipal: 64 },
  onError: () => undefined,
});
const definition = jobOf(async () => {
  runs++;
  if (hangsAfter !== "" && runs > Number(hangsAfter)) {
    tell("hangs");
    await new Promise(() => undefined);
  }
});
await engine.resume({ definitions: [definition] });
tell("ready");
process.on("disconnect", () => process.exit());
