import { checkOptionNames, errorSink, readLimits, systemClock } from "@tenon/base";

import { dateOf } from "../clock.ts";
import { createMemoryTaskStore } from "../store/memory.ts";
import type { TaskEngine } from "./contract.ts";
import { LiveTaskEngine } from "./live-engine.ts";
import { newTaskId } from "./names.ts";
import { engineLimitRules, type TaskEngineOptions } from "./options.ts";

/**
 * Creates an engine that runs tasks and keeps them in a store. It does nothing until a task is
 * started or resumed.
 *
 * @throws `TypeError` for options that do not exist or are out of range.
 */
export function createTaskEngine(options: TaskEngineOptions = {}): TaskEngine {
  checkOptionNames("createTaskEngine", options, "store clock limits onError", engineLimitRules);
  const { clock = systemClock } = options;
  const store = options.store ?? createMemoryTaskStore({ clock });
  return new LiveTaskEngine(
    {
      store,
      clock,
      date: dateOf(clock),
      limits: readLimits(options.limits, engineLimitRules),
      worker: newTaskId(),
      onError: errorSink(options.onError),
    },
    options.store === undefined,
  );
}
