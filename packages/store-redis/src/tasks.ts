import { createBusListeners, createStoreCalls } from "@tenon/stores";
import { isFinal, TaskError, type JournalEntry, type TaskRecord, type TaskStore } from "@tenon/tasks";
import { claimableAt, createTaskStore, decodeTask, encodeTask, type TaskRow } from "@tenon/tasks/rows";

import { fieldsOf, keyPart, type Connection } from "./connection.ts";
import { createSubscriptions } from "./subscriptions.ts";
import {
  claimTasks,
  countTasks,
  insertTask,
  listTasks,
  readTask,
  renewTask,
  replaceTask,
  sweepTasks,
} from "./task-scripts.ts";

/**
 * Creates the task store of a client. In a cluster all tasks are in one slot, so that each step is
 * atomic.
 */
export function createTasks(
  connection: Connection,
  maxTasksPerPrincipal: number,
  onError: (error: unknown) => void,
): TaskStore {
  const { prefix, script, command, timeoutMs } = connection;
  const calls = createStoreCalls("Redis", timeoutMs);
  const tag = `${prefix}{tasks}:`;
  const channel = `${tag}changed`;
  const listeners = createBusListeners(onError);
  const subscriptions = createSubscriptions(connection, {
    isWanted: () => listeners.has(channel),
    wanted: () => listeners.topics(),
    message: (_, message) => listeners.message(channel, message),
    restored: () => undefined,
    onError,
  });

  /** Runs a script on the keys of tasks, which all have one tag. */
  function run(lua: string, ...values: readonly (string | number)[]): Promise<unknown> {
    return calls.run(() => script(lua, [tag], values));
  }

  return createTaskStore({
    async now() {
      const [now] = (await run(readTask, "")) as unknown[];
      return Number(now);
    },
    async read(id) {
      const [now, fields] = (await run(readTask, keyPart(id))) as [unknown, unknown[]];
      return { row: fields.length === 0 ? undefined : rowOf(fields), now: Number(now) };
    },
    async insert(record) {
      const { id, principal } = record;
      const most = principal === "" || maxTasksPerPrincipal === Infinity ? -1 : maxTasksPerPrincipal;
      const values = valuesOf(record);
      const reply = await run(insertTask, keyPart(id), most, channel, announcement(record), ...values);
      if (Number(reply) < 0) {
        const message = `Task store is full: the limit is ${most} (maxTasksPerPrincipal).`;
        throw new TaskError("STORE_FULL", message);
      }
      return Number(reply) === 1;
    },
    async replace({ record, revision }, after, entries) {
      const announced = record.version === after.version ? "" : announcement(after);
      const added = entries.flatMap((entry) => [`${entry.kind}:${entry.key}`, JSON.stringify(entry)]);
      const values = [...valuesOf(after), ...added];
      return Number(await run(replaceTask, keyPart(after.id), revision, channel, announced, ...values)) === 1;
    },
    async journal(id) {
      const entries = await calls.run(() => command("LRANGE", `${tag}j:${keyPart(id)}`, "0", "-1"));
      return (entries as unknown[]).map((entry) => JSON.parse(String(entry)) as JournalEntry);
    },
    async claim({ worker, leaseMs, limit, names, except = [] }) {
      const named = names === undefined ? "" : JSON.stringify(names.map(keyPart));
      const excepted = JSON.stringify(except.map(keyPart));
      const reply = await run(claimTasks, keyPart(worker), leaseMs, limit, excepted, named);
      return recordsOf(reply);
    },
    async renew(id, fence, leaseMs) {
      return Number(await run(renewTask, keyPart(id), fence, leaseMs)) === 1;
    },
    async list(principal, after, limit) {
      const position = [after?.createdAt ?? "-inf", after === undefined ? "" : keyPart(after.id)];
      return recordsOf(await run(listTasks, keyPart(principal), ...position, limit));
    },
    async sweep(limit) {
      const [deleted, overdue] = (await run(sweepTasks, limit)) as [unknown, unknown];
      return { deleted: Number(deleted), overdue: recordsOf(overdue) };
    },
    async count() {
      const [queued, running, waiting] = (await run(countTasks)) as unknown[];
      return { queued: Number(queued), running: Number(running), waiting: Number(waiting) };
    },
    async watch(changed) {
      const remove = listeners.add(channel, {
        message(announced) {
          const { id, version } = JSON.parse(announced) as { readonly id: string; readonly version: number };
          changed(id, version);
        },
        gap: () => undefined,
      });
      try {
        await calls.run(() => subscriptions.keep(channel));
      } catch (error) {
        remove();
        throw error;
      }
      return {
        async [Symbol.asyncDispose]() {
          if (remove()) {
            await calls.run(() => subscriptions.drop(channel)).catch(onError);
          }
        },
      };
    },
    async close() {
      listeners.clear();
      subscriptions.close();
      await calls.close();
    },
  });
}

/** The values of a task, in the order of the scripts. */
function valuesOf(record: TaskRecord): (string | number)[] {
  const { principal, name, state, createdAt, expiresAt, attempt, fence, worker, leaseUntil } = record;
  return [
    encodeTask(record),
    keyPart(principal),
    keyPart(name),
    isFinal(state) ? 1 : 0,
    createdAt,
    expiresAt ?? "",
    claimableAt(record) ?? "",
    attempt,
    fence,
    worker === undefined ? "" : keyPart(worker),
    leaseUntil,
  ];
}

function rowOf(reply: unknown): TaskRow {
  const fields = fieldsOf(reply);
  const worker = fields.get("w") ?? "";
  const record = decodeTask(fields.get("r") ?? "", {
    attempt: Number(fields.get("a")),
    fence: Number(fields.get("f")),
    worker: worker === "" ? undefined : decodeURIComponent(worker),
    leaseUntil: Number(fields.get("l")),
  });
  return { record, revision: Number(fields.get("v")) };
}

function recordsOf(reply: unknown): readonly TaskRecord[] {
  return (reply as unknown[]).map((fields) => rowOf(fields).record);
}

function announcement({ id, version }: TaskRecord): string {
  return JSON.stringify({ id, version });
}
