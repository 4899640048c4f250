import { isFinal } from "../store/record.ts";
import { untilAnswered } from "./lost.ts";
import { TaskStates } from "./states.ts";
import type { RemoteTask } from "./task.ts";
import type { TaskWire, WireOptions } from "./wire.ts";

/**
 * Yields a task now and after each change, and ends with its final state. Takes the states that the
 * server sends, and polls.
 */
export async function* watchTask(
  wire: TaskWire,
  id: string,
  { signal = new AbortController().signal, ...options }: WireOptions = {},
): AsyncGenerator<RemoteTask, void, undefined> {
  const states = new TaskStates(wire, id);
  const read = (): Promise<RemoteTask> =>
    untilAnswered(wire, signal, () => wire.get(id, { ...options, signal }));
  let seen = "";
  try {
    for (let task = await read(); ; task = (await states.next(task, signal)) ?? (await read())) {
      const state = JSON.stringify(task);
      if (state !== seen) {
        seen = state;
        yield task;
      }
      if (isFinal(task.status)) {
        return;
      }
    }
  } finally {
    states.end();
  }
}
