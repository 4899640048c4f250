import { isRecord } from "@tenon/base";
import { ErrorCode, RpcError } from "@tenon/jsonrpc2/core";

import { offersOf, type SourceFeature } from "../source/source-feature.ts";
import { withTaskIds } from "../source/source-tasks.ts";
import type { ReceivedParams } from "../source/source.ts";
import type { Part } from "./part.ts";

/** The id of a task of a part, among the ids of all parts. */
function taskIdOf({ label }: Part, id: string): string {
  return `${label}.${id}`;
}

/** The tasks of all parts. */
export interface MergedTasks extends SourceFeature {
  /**
   * Notes the task that a call became. @returns The result with the id of the composition.
   *
   * @param outward - The change of the tool's result, if there is one.
   */
  started(result: ReceivedParams, part: Part, outward: Outward | undefined): unknown;
}

type Outward = (result: ReceivedParams) => ReceivedParams;

/** Maximum number of tasks whose results are changed. The oldest are forgotten. */
const maxChanged = 1000;

/**
 * Creates the tasks of all parts.
 *
 * @param outward - The result of a task of a part, as clients see it.
 */
export function mergedTasks(
  parts: () => readonly Part[],
  outward: (result: ReceivedParams, part: Part) => ReceivedParams,
): MergedTasks {
  const changes = new Map<string, Outward>();

  return {
    started(result, part, change) {
      return withTaskIds(result, (id) => {
        const own = taskIdOf(part, id);
        const [oldest] = changes.keys();
        if (change !== undefined && oldest !== undefined && changes.size >= maxChanged) {
          changes.delete(oldest);
        }
        if (change !== undefined) {
          changes.set(own, change);
        }
        return own;
      });
    },
    offers: (era) =>
      offersOf(
        parts().map(({ source }) => source.tasks),
        era,
      ),
    async request(request, method, params) {
      const [label = "", ...rest] = String(params["taskId"]).split(".");
      const part = parts().find((each) => each.label === label);
      const tasks = part?.source.tasks;
      if (part === undefined || tasks === undefined) {
        throw new RpcError(ErrorCode.InvalidParams, "Unknown task. Its server is not part of this one.");
      }
      const own = { ...params, taskId: rest.join(".") };
      const task = (await part.shares.run(request, () =>
        tasks.request(request, method, own),
      )) as ReceivedParams;
      const change = changes.get(String(params["taskId"])) ?? ((result) => result);
      const { result } = task;
      const whole = isRecord(result)
        ? { ...task, result: change(outward(result, part)) }
        : "content" in task
          ? change(outward(task, part))
          : task;
      return withTaskIds(whole, (id) => taskIdOf(part, id));
    },
  };
}
