import { kindOf } from "@tenon/base";
/**
 * A store of tasks in a file, for Node.
 *
 * @packageDocumentation
 */

import type { TaskStore } from "../store/contract.ts";
import { openStore, type FileTaskStoreOptions } from "./store.ts";

export type { FileTaskStoreOptions } from "./store.ts";

/**
 * Opens a store that keeps tasks in a file, for one process at a time. Tasks, their input requests,
 * journals and outcomes survive the process, and a failure of power, when the promise of the write
 * resolves: writes of the same moment share one `fdatasync`. Messages, progress and leases survive
 * the process. All tasks are in memory too. The file is rewritten when it has grown to more than
 * twice the size of its content.
 *
 * If the disk is full or fails, writes reject with `STORE_FAILED` and have no effect, and the store
 * works again as soon as the disk does. A line that was cut off when a process or the machine ended
 * is dropped when the file is opened.
 *
 * @param path - The file. It is created if it does not exist; its folder must exist. Next
 *   to it are `.lock.` with a number, which names the process, and `.new` while it is rewritten.
 * @throws `TaskError` `STORE_LOCKED` if another process uses the file, `STORE_FAILED` if it is
 *   something else than a log of tasks; errors of the file system; `TypeError` for options that do
 *   not exist or are out of range.
 */
export function openFileTaskStore(path: string, options: FileTaskStoreOptions = {}): Promise<TaskStore> {
  return typeof path === "string"
    ? openStore(path, options)
    : Promise.reject(new TypeError(`openFileTaskStore needs a path, a string; got ${kindOf(path)}.`));
}
