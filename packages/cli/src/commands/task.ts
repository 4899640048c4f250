import { readFile } from "node:fs/promises";
import { resolve } from "node:path";

import { taskClient, type RemoteTask } from "@tenon/tasks/client";

import type { Invocation } from "../command/invocation.ts";
import { parseJson } from "../command/parse-json.ts";
import { exitCodes, usageError } from "../exit.ts";
import { contentText } from "../output/content.ts";
import { messageOf, visibleLine } from "../output/escape.ts";
import { openSession } from "../session/open.ts";

/** The actions of `tenon task`. */
export type TaskAction = "get" | "list" | "cancel" | "answer" | "result";

/** Reads, lists, follows, cancels or continues tasks of a server. */
export async function runTask(invocation: Invocation, action: TaskAction): Promise<number> {
  const { flags, printer, shell } = invocation;
  await using opened = await openSession(invocation, { prepare: (client) => client.use(taskClient()) });
  const { session, signal } = opened;
  const { tasks } = session;
  if (action === "list") {
    // Only 2025-11-25 has a list of tasks.
    const listed: unknown = await session.request("tasks/list" as never, {} as never, { signal });
    printer.result(listed, () => JSON.stringify(listed, undefined, 2));
    return exitCodes.ok;
  }
  const id = invocation.required("id");
  if (action === "get" && flags.has("follow")) {
    for await (const task of tasks.watch(id, { signal })) {
      printer.item(task, () => lineOf(task));
    }
    return exitCodes.ok;
  }
  if (action === "result") {
    const result = await tasks.result(id, { signal });
    printer.result(result, () => result.content.map((block) => contentText(block)).join("\n"));
    return result.isError === true ? exitCodes.failed : exitCodes.ok;
  }
  if (action === "cancel") {
    await tasks.cancel(id, { signal });
  } else if (action === "answer") {
    const file = flags.text("input");
    if (file === undefined) {
      throw usageError("Give the responses by key.", "--input responses.json");
    }
    await tasks.update(id, (await readResponses(resolve(shell.cwd, file), file)) as never, { signal });
  }
  const task = await tasks.get(id, { signal });
  printer.result(task, () => lineOf(task));
  return exitCodes.ok;
}

async function readResponses(path: string, name: string): Promise<unknown> {
  try {
    return parseJson(await readFile(path, "utf8"));
  } catch (cause) {
    throw usageError(`--input ${name} cannot be read as JSON: ${messageOf(cause)}`);
  }
}

function lineOf({ id, status, statusMessage, lastUpdatedAt, inputRequests }: RemoteTask): string {
  const waits = Object.keys(inputRequests);
  return visibleLine(
    [id, status, statusMessage ?? "", lastUpdatedAt, waits.length === 0 ? "" : `needs ${waits.join(", ")}`]
      .filter(Boolean)
      .join("  "),
  );
}
