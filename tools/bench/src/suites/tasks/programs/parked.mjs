// The heap that one parked task holds. Run with --expose-gc; prints bytes.
import { createMemoryTaskStore, createTaskEngine } from "@tenon/tasks";

const tasks = 10_000;
const store = createMemoryTaskStore({ limits: { maxTasks: Infinity } });
const engine = createTaskEngine({ store });
const definition = {
  name: "job",
  version: "1",
  run: (task) =>
    task.ask("confirm", { method: "elicitation/create", params: { message: "Delete the file?" } }),
};
const settle = () => new Promise((resolve) => setTimeout(resolve, 0));

async function park(count) {
  const made = [];
  for (let index = 0; index < count; index++) {
    made.push((await engine.start({ definition, arguments: { path: `/file/${index}` } })).id);
  }
  for (const id of made) {
    while ((await store.get(id, "")).state !== "input_required") {
      await settle();
    }
  }
}
async function heap() {
  for (let turn = 0; turn < 20; turn++) {
    await settle();
  }
  globalThis.gc();
  return process.memoryUsage().heapUsed;
}

await park(500);
const before = await heap();
await park(tasks);
const after = await heap();
process.stdout.write(String((after - before) / tasks));
process.exit();
