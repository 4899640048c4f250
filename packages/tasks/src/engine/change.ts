import { TaskError } from "../error.ts";
import { isFinal, type JournalEntry, type TaskPatch, type TaskRecord } from "../store/record.ts";
import type { Setting } from "./setting.ts";

/** The change to write. */
export interface Change {
  readonly patch: TaskPatch;
  readonly append?: readonly JournalEntry[];
}

/** Maximum number of conflicts with other writers of one task. */
const maxConflicts = 100;

/**
 * Changes a task, again after each conflict with another writer.
 *
 * @param principal - `undefined` for the engine itself.
 * @param decide - Returns the change to write, or `undefined` for no change. Not called for
 *   a task that has ended.
 * @returns The record afterwards, and whether it was changed; `undefined` if it is unknown.
 */
export async function change(
  { store }: Setting,
  id: string,
  principal: string | undefined,
  decide: (record: TaskRecord) => Change | undefined | Promise<Change | undefined>,
): Promise<{ readonly record: TaskRecord; readonly isChanged: boolean } | undefined> {
  for (let conflicts = 0; conflicts < maxConflicts; conflicts++) {
    const record = await store.get(id, principal);
    if (record === undefined) {
      return undefined;
    }
    const decided = isFinal(record.state) ? undefined : await decide(record);
    if (decided === undefined) {
      return { record, isChanged: false };
    }
    const { patch, append } = decided;
    const result = await store.update(id, patch, { version: record.version, append });
    if (typeof result === "object") {
      return { record: result, isChanged: true };
    }
  }
  throw new TaskError("STORE_FAILED", `The task ${id} is changed by too many writers at a time.`);
}
