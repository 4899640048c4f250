import { isRecord } from "@tenon/base";
import { ErrorCode, RpcError } from "@tenon/jsonrpc2/core";
import type { ServerRequest } from "@tenon/mcp/server";

import { offersOf, type SourceFeature } from "../source/source-feature.ts";
import { withTaskIds } from "../source/source-tasks.ts";
import type { ReceivedParams } from "../source/source.ts";
import type { Part } from "./part.ts";

/**
 * The id of a task of a part, among the ids of all parts.
 *
 * @param tool - The tool whose results are changed, by the name that clients see; `""` for another.
 */
function taskIdOf({ label }: Part, tool: string, id: string): string {
  return `${label}.${encodeURIComponent(tool).replaceAll(".", "%2E")}.${id}`;
}

/** The tasks of all parts. */
export interface MergedTasks extends SourceFeature {
  /**
   * Notes the task that a call became. @returns The result with the id of the composition.
   *
   * @param tool - The name of the tool, if its results are changed. It is a part of the id, so that
   *   no table of tasks has to remember it.
   */
  started(result: ReceivedParams, part: Part, tool: string | undefined): unknown;
}

type Outward = (result: ReceivedParams) => ReceivedParams;

/**
 * Creates the tasks of all parts.
 *
 * @param outward - The result of a task of a part, as clients see it.
 * @param changeOf - The change of the results of a tool. It rejects if the tool is not offered.
 */
export function mergedTasks(
  parts: () => readonly Part[],
  outward: (result: ReceivedParams, part: Part) => ReceivedParams,
  changeOf: (tool: string, request: ServerRequest) => Promise<Outward>,
): MergedTasks {
  return {
    started: (result, part, tool = "") => withTaskIds(result, (id) => taskIdOf(part, tool, id)),
    offers: (era) =>
      offersOf(
        parts().map(({ source }) => source.tasks),
        era,
      ),
    async request(request, method, params) {
      const [label = "", encoded = "", ...rest] = String(params["taskId"]).split(".");
      const part = parts().find((each) => each.label === label);
      const tasks = part?.source.tasks;
      const tool = decoded(encoded);
      if (part === undefined || tasks === undefined || tool === undefined) {
        throw new RpcError(ErrorCode.InvalidParams, "Unknown task. Its server is not part of this one.");
      }
      const own = { ...params, taskId: rest.join(".") };
      const task = (await part.shares.run(request, () =>
        tasks.request(request, method, own),
      )) as ReceivedParams;
      const { result } = task;
      if (!isRecord(result) && !("content" in task)) {
        return withTaskIds(task, (id) => taskIdOf(part, tool, id));
      }
      const change: Outward = tool === "" ? (own) => own : await changeOf(tool, request);
      const whole = isRecord(result)
        ? { ...task, result: change(outward(result, part)) }
        : change(outward(task, part));
      return withTaskIds(whole, (id) => taskIdOf(part, tool, id));
    },
  };
}

/** Decodes a part of a task id. `undefined`: the part is malformed. Callers may send any text. */
function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
