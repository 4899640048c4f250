import type { TaskDefinition } from "@tenon/tasks";

/** The definition of the trials: returns its arguments. @param before - Runs first. */
export function jobOf(before: () => Promise<void>): TaskDefinition {
  return {
    name: "job",
    version: "1",
    async run(task) {
      await before();
      return task.arguments;
    },
  };
}
