import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { createTaskEngine, type TaskDefinition } from "@tenon/tasks";
import { openFileTaskStore } from "@tenon/tasks/file";
import { expect, test } from "vitest";

// #region engine
const order: TaskDefinition = {
  name: "order",
  version: "1",
  async run(task) {
    const id = await task.step("reserve", () => `reservation of ${String(task.arguments)}`);
    const address = await task.ask("address", { message: "Where to?" });
    return await task.step("ship", () => `${id}, to ${String(address)}`);
  },
};

async function demo(path: string): Promise<unknown> {
  await using store = await openFileTaskStore(path);
  await using engine = createTaskEngine({ store });
  await engine.resume({ definitions: [order] });
  const { id } = await engine.start({ definition: order, arguments: "a lamp", principal: "ada" });
  await using watch = await engine.watch([id], "ada", ({ state }) => {
    if (state === "input_required") {
      void engine.update(id, "ada", { address: "Paris" });
    }
  });
  const ended = await engine.result(id, "ada");
  return watch.ids.length === 1 ? ended?.outcome : undefined;
}
// #endregion engine

test("what the README shows does what it says", async () => {
  const folder = await mkdtemp(join(tmpdir(), "tasks-"));
  try {
    expect(await demo(join(folder, "tasks.log"))).toEqual({ result: "reservation of a lamp, to Paris" });
  } finally {
    await rm(folder, { recursive: true });
  }
});
