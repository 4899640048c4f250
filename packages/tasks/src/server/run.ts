import type { ServerExtensionHost } from "@tenon/mcp";

import type { TaskDefinition } from "../engine/definition.ts";
import { runContext } from "./run-context.ts";
import type { ToolTask } from "./tool-task.ts";

/** Makes the definition of the tasks of a tool. Each run validates the arguments again. */
export function taskDefinition(
  host: ServerExtensionHost<object>,
  name: string,
  { version = "1" }: ToolTask,
): TaskDefinition {
  return {
    name,
    version,
    run: async (task) => {
      const result = await host.runTool(name, task.arguments, runContext(host, task));
      if (result.isError === true) {
        // The handler failed because its signal aborted.
        task.signal.throwIfAborted();
      }
      return result;
    },
  };
}
