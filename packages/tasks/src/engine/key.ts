import { isTaskError, TaskError } from "../error.ts";
import type { TaskStore } from "../store/contract.ts";
import type { TaskRecord } from "../store/record.ts";
import { newTaskId, taskIdFrom } from "./names.ts";
import type { StartOptions } from "./options.ts";

/** Maximum length of a key. */
const maxLength = 256;

/**
 * The ID of a new task: random, or, with a key, the same for each call. Such an ID can be computed
 * by others, who are not its principal.
 *
 * @throws `TypeError` for a key that is not valid.
 */
export async function taskIdOf({
  definition,
  key,
  principal = "",
}: Pick<StartOptions, "key" | "principal"> & {
  readonly definition: { readonly name: string };
}): Promise<string> {
  if (key === undefined) {
    return newTaskId();
  }
  if (principal === "" || key === "" || key.length > maxLength) {
    throw new TypeError(
      `A key must have 1 to ${maxLength} characters, and its task a principal; got ${JSON.stringify(key.slice(0, 100))}, of ${JSON.stringify(principal)}.`,
    );
  }
  const text = new TextEncoder().encode(JSON.stringify([principal, definition.name, key]));
  return taskIdFrom(new Uint8Array(await crypto.subtle.digest("SHA-256", text)));
}

/**
 * Returns the task that an earlier call with the same key created.
 *
 * @param error - Why it was not created now.
 * @throws `error` unless it is `TASK_EXISTS`; `TASK_EXISTS` for a task with other arguments.
 */
export async function earlierTask(
  store: TaskStore,
  id: string,
  { key, principal = "" }: StartOptions,
  args: string,
  error: unknown,
): Promise<TaskRecord> {
  const record =
    key !== undefined && isTaskError(error, "TASK_EXISTS") ? await store.get(id, principal) : undefined;
  if (record === undefined) {
    throw error;
  }
  if (record.arguments !== args) {
    throw new TaskError(
      "TASK_EXISTS",
      `A key must be used for the same arguments; ${JSON.stringify(key)} belongs to the task ${id} with others.`,
      { cause: error },
    );
  }
  return record;
}
