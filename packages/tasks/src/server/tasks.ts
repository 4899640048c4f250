import { checkOptionNames, readLimits, type LimitRules } from "@tenon/base";
import { defineServerExtension, type RequestContext, type ServerExtension } from "@tenon/mcp";

import type { TaskEngine } from "../engine/contract.ts";
import { extension } from "../wire/messages.ts";
import { askClients } from "./ask-client.ts";
import { callAsTask, refuseTask, type TaskServer } from "./call.ts";
import { reportRarely } from "./full.ts";
import { serveLegacy } from "./legacy.ts";
import { serveModern } from "./modern.ts";
import { pollLimit } from "./poll-limit.ts";
import { taskDefinition } from "./run.ts";
import { readToolTask, type ToolTask } from "./tool-task.ts";

/** Options of {@link tasks}. */
export interface TasksOptions {
  /** Runs and keeps the tasks. It may be shared by several servers. `tasks` does not close it. */
  readonly engine: TaskEngine;
  /**
   * Returns the owner of a new task and of requests about tasks. A task of another owner is treated
   * as unknown. With this option, clients of 2025-11-25 can list their tasks. By default
   * `auth.principal`; without authentication every client that knows the ID of a task may use it.
   */
  readonly owner?: ((context: RequestContext) => string) | undefined;
  /** Limits for clients. Each limit has its own default. */
  readonly limits?: TasksLimits | undefined;
}

/** Limits of {@link tasks}. The limits of the engine apply too. */
export interface TasksLimits {
  /**
   * Minimum time between two `tasks/get` for a task, in milliseconds. A faster poll is rejected
   * with `-32603`, and its `data.retryAfterMs` is the rest of the time. Default: `0`.
   */
  readonly minPollMs?: number | undefined;
}

/** The rule of every limit. */
const tasksLimitRules: LimitRules<TasksLimits> = { minPollMs: [0, 0] };

/**
 * Makes calls of tools with the option `task` long-running: the client gets a task instead of a
 * result, and reads the result later.
 *
 * @example
 * const engine = createTaskEngine();
 * server.use(tasks({ engine }));
 * server.addTool({ name: "report", task: "optional" }, async (_, { progress }) => "done");
 *
 * @source R-670…R-708
 */
export function tasks(options: TasksOptions): ServerExtension {
  checkOptionNames("tasks", options, "engine:object owner limits", tasksLimitRules);
  const { engine, owner } = options;
  const { minPollMs } = readLimits(options.limits, tasksLimitRules);
  return defineServerExtension({
    id: extension,
    eras: ["modern"],
    setup: (server, host) => {
      const shared: TaskServer = {
        engine,
        server,
        host,
        polled: pollLimit(minPollMs, host.clock),
        reportFull: reportRarely(host.clock, host.onError),
        ownerOf: (context) => owner?.(context) ?? context.auth?.principal ?? "",
      };
      host.addToolOption<ToolTask>("task", {
        check: (value, { name }) => {
          engine.define(taskDefinition(shared, name, readToolTask(value)));
        },
        list: (value, { era }) =>
          era === "legacy"
            ? { execution: { taskSupport: readToolTask(value).mode ?? "optional" } }
            : undefined,
        call: (call) => callAsTask(shared, readToolTask(call.value), call),
        checkOther: refuseTask,
      });
      serveModern(shared, server);
      serveLegacy(shared, owner !== undefined);
      askClients(host);
    },
  });
}
