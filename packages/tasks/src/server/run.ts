import type { ServerExtensionHost } from "@tenon/mcp";

import type { BackendTask, TaskBackend, TaskDefinition } from "../engine/definition.ts";
import { runDeferred } from "./deferred.ts";
import { runContext, type CallerFacts } from "./run-context.ts";
import type { Job, JobBackend, ToolTask } from "./tool-task.ts";

/**
 * Makes the definition of the tasks of a tool. Each run validates the arguments again. With a back
 * end, that runs the tasks.
 */
export function taskDefinition(
  { server, host }: { readonly server: object; readonly host: ServerExtensionHost<object> },
  name: string,
  { version = "1", backend, maxAttempts }: ToolTask,
): TaskDefinition {
  if (backend !== undefined) {
    return { name, version, backend: taskBackend(backend) };
  }
  return {
    name,
    version,
    maxAttempts,
    run: async (task) => {
      const context = runContext(host, task);
      const { observed: facts = {} } = task.data as CallerFacts;
      const result = await runDeferred({ server, tool: name, context, facts }, () =>
        host.runTool(name, task.arguments, context),
      );
      if (result.isError === true) {
        // The handler failed because its signal aborted.
        task.signal.throwIfAborted();
      }
      return result;
    },
  };
}

function taskBackend(backend: JobBackend): TaskBackend {
  return {
    get: (task) => backend.get(jobOf(task)),
    update: (task, responses) => backend.update?.(jobOf(task), responses),
    cancel: (task) => backend.cancel?.(jobOf(task)),
  };
}

function jobOf({ data, ...task }: BackendTask): Job {
  return { ...task, prepared: (data as CallerFacts).prepared };
}
