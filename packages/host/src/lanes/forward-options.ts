import type { Lane } from "./lane.ts";
import type { TaskAnswer } from "./tasks.ts";

/** Options of `forward` of a `CallRelay`. */
export interface ForwardOptions {
  /**
   * How to forward a call to a tool of a legacy server that has tasks. `follow` requests a task and
   * waits for its result. A function gets the task and its connection, and returns the result of
   * the call. By default the call requests a task only if its params do.
   */
  readonly task?: "follow" | ((lane: Lane, task: TaskAnswer) => object) | undefined;
}
