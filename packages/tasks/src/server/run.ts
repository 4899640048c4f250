import type { ServerExtensionHost } from "@tenon/mcp";

import type { TaskDefinition } from "../engine/definition.ts";
import { runContext } from "./run-context.ts";
import type { ToolTask } from "./tool-task.ts";

/** What the tasks of a tool do: they run the tool, with arguments that are validated each time. */
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
        // The handler failed because it was told to stop.
        task.signal.throwIfAborted();
      }
      return result;
    },
  };
}
