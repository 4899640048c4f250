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

/** The dependencies of the tasks of all parts. */
export interface MergedTasksSetup {
  readonly parts: () => readonly Part[];
  /** The result of a task of a part, as clients see it. */
  readonly outward: (result: ReceivedParams, part: Part) => ReceivedParams;
  /** The change of the results of a tool. It rejects if the tool is not offered. */
  readonly changeOf: (tool: string, request: ServerRequest) => Promise<Outward>;
  /** Throws the error of a part for the caller. It is reported. */
  readonly failed: (part: Part, request: ServerRequest, error: unknown) => never;
}

/** Creates the tasks of all parts. */
export function mergedTasks({ parts, outward, changeOf, failed }: MergedTasksSetup): MergedTasks {
  async function ask(part: Part, request: ServerRequest, work: () => unknown): Promise<ReceivedParams> {
    try {
      return (await part.shares.run(request, work)) as ReceivedParams;
    } catch (error) {
      return failed(part, request, error);
    }
  }

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
      const task = await ask(part, request, () => tasks.request(request, method, own));
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
