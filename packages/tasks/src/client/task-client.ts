import { checkOptionNames, isRecord } from "@tenon/base";
import {
  defineClientExtension,
  type ClientExtension,
  type ClientExtensionHost,
  type HookedRequest,
} from "@tenon/mcp";

import type { TaskEngine } from "../engine/contract.ts";
import { extension, idempotencyKey } from "../wire/messages.ts";
import { callAugmented, listTool } from "./augment.ts";
import { follow } from "./follow.ts";
import { hostTasks } from "./hosting.ts";
import { handleNotices } from "./notices.ts";
import { sessionTasks, startedTask, startOption } from "./session-tasks.ts";
import { noteSupport, supportOf } from "./support.ts";
import { readTask } from "./task.ts";
import { hasTasks, wireOf } from "./wire.ts";
import { unwantedCancelled } from "./within.ts";

/** Options of {@link taskClient}. */
export interface TaskClientOptions {
  /**
   * Runs the handlers of the client for sampling and elicitation as tasks, if a server of
   * 2025-11-25 requests it: the server gets the ID of the task at once, and the response later. The
   * limits of the engine apply. `taskClient` does not close it. By default these requests do not
   * become tasks.
   */
  readonly engine?: TaskEngine | undefined;
}

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
export function taskClient(options: TaskClientOptions = {}): ClientExtension {
  checkOptionNames("taskClient", options, "engine");
  const { engine } = options;
  return defineClientExtension({
    id: extension,
    eras: ["modern"],
    setup: (client, host) => {
      if (engine !== undefined) {
        hostTasks(client, host, engine);
      }
      host.addRequestOptions("task", "onTask", "cancelOnAbort", "idempotencyKey");
      host.addRequestHook("tools/call", (request) => callTool(host, request), ["task"]);
      host.addRequestHook("tools/list", async ({ session, params, options, send }) => {
        const page = await send(params, options);
        noteSupport(session, page);
        return page;
      });
      handleNotices(host);
      host.beforeClose(unwantedCancelled);
      host.addSessionProperty("tasks", (session) => sessionTasks(wireOf(session, host)));
    },
  });
}

async function callTool(host: ClientExtensionHost<object>, call: HookedRequest): Promise<object> {
  const { session, options, send } = call;
  const { task: choice = "auto", idempotencyKey: key, ...rest } = options;
  const params = withKey(call.params, key);
  const isStart = startOption in options;
  const wire = wireOf(session, host);
  if (session.era === "legacy" && hasTasks(session, host) && !isFixed.has(choice)) {
    if (isStart) {
      await listTool(wire, params["name"]);
    }
    if (wants(isStart ? "prefer" : choice, supportOf(session, params["name"]))) {
      return callAugmented(wire, { ...call, params }, isStart);
    }
  }
  const result = await send(params, choice === "never" ? { ...rest, declared: false } : rest);
  if (session.era === "legacy" || choice === "return" || result["resultType"] !== "task") {
    return result;
  }
  const task = readTask(result);
  return isStart ? startedTask(wire, task) : follow(wire, task.id, options, task);
}

function withKey(
  params: Readonly<Record<string, unknown>>,
  key: string | undefined,
): Readonly<Record<string, unknown>> {
  const meta = isRecord(params["_meta"]) ? params["_meta"] : {};
  return key === undefined ? params : { ...params, _meta: { ...meta, [idempotencyKey]: key } };
}

/** The choices for which it does not matter what the tool supports. */
const isFixed: ReadonlySet<string> = new Set(["never", "return"]);

/** Whether a call asks for a task. @source */
function wants(choice: string, support: unknown): boolean {
  return support === "required" || (choice === "prefer" && support === "optional");
}
