import {
  defineClientExtension,
  type ClientExtension,
  type ClientExtensionHost,
  type HookedRequest,
} from "@tenon/mcp";

import { extension } from "../wire/messages.ts";
import { followLegacy } from "./follow-legacy.ts";
import { follow } from "./follow.ts";
import { sessionTasks, startedTask, startOption } from "./session-tasks.ts";
import { noteSupport, supportOf } from "./support.ts";
import { readTask } from "./task.ts";
import { hasTasks, wireOf } from "./wire.ts";

/**
 * Follows calls of tools that become tasks: `callTool` returns the result of the task as ever, and
 * `session.tasks` reads, starts and cancels tasks. Without this extension servers do not create
 * tasks for the calls of a client.
 *
 * @example
 * client.use(taskClient());
 * const result = await session.callTool({ name: "report" }, { onTask: ({ status }) =>
 * console.log(status) });
 *
 * @source
 */
export function taskClient(): ClientExtension {
  return defineClientExtension({
    id: extension,
    eras: ["modern"],
    setup: (_, host) => {
      host.addRequestHook("tools/call", (request) => callTool(host, request), ["task"]);
      host.addRequestHook("tools/list", async ({ session, params, options, send }) => {
        const page = await send(params, options);
        noteSupport(session, page);
        return page;
      });
      host.addSessionProperty("tasks", (session) => sessionTasks(wireOf(session, host)));
    },
  });
}

async function callTool(
  host: ClientExtensionHost<object>,
  { session, params, options, send }: HookedRequest,
): Promise<object> {
  const { task: choice = "auto", ...rest } = options;
  const isStart = startOption in options;
  const isModern = session.era === "modern";
  const augments =
    !isModern &&
    hasTasks(session, host) &&
    choice !== "never" &&
    (isStart || wants(choice, supportOf(session, params["name"])));
  const result: Readonly<Record<string, unknown>> = await send(augments ? { task: {}, ...params } : params, {
    ...rest,
    ...(choice === "never" ? { declared: false } : {}),
  });
  const sent = isModern ? (result["resultType"] === "task" ? result : undefined) : result["task"];
  if (sent === undefined || (!isModern && !augments)) {
    return result;
  }
  const task = readTask(sent);
  const wire = wireOf(session, host);
  if (isStart) {
    return startedTask(wire, task);
  }
  return isModern ? follow(wire, task.id, options, task) : followLegacy(wire, task.id, options, task);
}

function wants(choice: "auto" | "prefer", support: unknown): boolean {
  return support === "required" || (choice === "prefer" && support === "optional");
}
