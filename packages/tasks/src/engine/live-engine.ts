import { markDrainable, systemClock } from "@tenon/base";

import { isTaskError, TaskError } from "../error.ts";
import { isFinal, type TaskRecord } from "../store/record.ts";
import { Backends } from "./backends.ts";
import { change, type Change } from "./change.ts";
import type { TaskEngine, TaskPage, TaskWatch } from "./contract.ts";
import { cursorOf, positionOf } from "./cursor.ts";
import { checkDefinition, type TaskDefinition } from "./definition.ts";
import { answering, asking, changeExternal, statusPatch } from "./external.ts";
import { fromText, toText } from "./json.ts";
import { earlierTask, taskIdOf } from "./key.ts";
import {
  lifetime,
  type CancelOptions,
  type CloseEngineOptions,
  type ListTasksOptions,
  type ResumeOptions,
  type StartOptions,
} from "./options.ts";
import { cancellation, completion, failure } from "./outcome.ts";
import { cancelled } from "./run.ts";
import { Runner } from "./runner.ts";
import type { Setting } from "./setting.ts";
import { snapshotOf, type TaskFailure, type TaskSnapshot } from "./snapshot.ts";
import { Upkeep } from "./upkeep.ts";
import { Watching } from "./watching.ts";

/** How many tasks are read at a time when a watch begins. */
const watchBatch = 100;

/** The engine over one store. */
export class LiveTaskEngine implements TaskEngine {
  readonly #setting: Setting;
  readonly #ownsStore: boolean;
  readonly #runner: Runner;
  readonly #watching: Watching;
  readonly #backends: Backends;
  readonly #upkeep: Upkeep;
  #opening: Promise<AsyncDisposable> | undefined;
  #closing: Promise<void> | undefined;

  /** @param ownsStore - Whether `close` closes the store. */
  constructor(setting: Setting, ownsStore: boolean) {
    markDrainable(this);
    this.#setting = setting;
    this.#ownsStore = ownsStore;
    this.#runner = new Runner(setting);
    this.#watching = new Watching(setting);
    this.#backends = new Backends(setting);
    this.#upkeep = new Upkeep(setting, this.#runner, this.#watching, this.#backends);
  }

  async start(options: StartOptions): Promise<TaskSnapshot> {
    const { limits, store, worker } = this.#setting;
    const { definition, principal = "", pollIntervalMs = limits.pollIntervalMs } = options;
    this.define(definition);
    const ttlMs = lifetime(options.ttlMs, limits);
    if (!(pollIntervalMs >= 1)) {
      throw new TypeError(`pollIntervalMs must be 1 or more; got ${pollIntervalMs}.`);
    }
    const args = toText(
      options.arguments ?? {},
      "The arguments",
      limits.maxArgumentsLength,
      "maxArgumentsLength",
    );
    const rest = limits.maxArgumentsLength - args.length;
    const data = toText(options.data ?? null, "The data, after the arguments,", rest, "maxArgumentsLength");
    const id = await taskIdOf(options);
    await this.#open();
    const isRun = definition.run !== undefined;
    const hasSlot = isRun && this.#runner.reserve(principal);
    let record: TaskRecord;
    try {
      record = await store.create(
        {
          id,
          principal,
          name: definition.name,
          definitionVersion: definition.version,
          external: !isRun,
          arguments: args,
          data,
          state: "working",
          statusMessage: undefined,
          questions: {},
          outcome: undefined,
          ttlMs,
          pollIntervalMs: Math.min(pollIntervalMs, Number.MAX_SAFE_INTEGER),
          // JSON has no infinity.
          maxAttempts: Math.min(definition.maxAttempts ?? 3, Number.MAX_SAFE_INTEGER),
        },
        hasSlot ? { worker, leaseMs: limits.leaseMs } : undefined,
      );
    } catch (error) {
      if (hasSlot) {
        this.#runner.free(principal);
      }
      return snapshotOf(await earlierTask(store, id, options, args, error));
    }
    if (hasSlot) {
      this.#runner.begin(record, []);
    } else if (isRun) {
      this.#runner.claim();
    }
    return snapshotOf(record);
  }

  async get(id: string, principal: string): Promise<TaskSnapshot | undefined> {
    this.#requireOpen();
    let record = await this.#setting.store.get(id, principal);
    const backend = this.#backendOf(record);
    if (record !== undefined && backend !== undefined && !isFinal(record.state)) {
      await this.#backends.refresh(record, backend);
      record = await this.#setting.store.get(id, principal);
    }
    return record && snapshotOf(record);
  }

  async result(
    id: string,
    principal: string,
    { signal }: { readonly signal?: AbortSignal | undefined } = {},
  ): Promise<TaskSnapshot | undefined> {
    signal?.throwIfAborted();
    await this.#open();
    let settle: (ended: TaskSnapshot | undefined) => void = () => undefined;
    let give: (reason: unknown) => void = () => undefined;
    const ended = new Promise<TaskSnapshot | undefined>((resolve, reject) => {
      settle = resolve;
      give = reject;
    });
    const watch = this.#watching.add([id], {
      principal,
      changed(record) {
        if (record === undefined || isFinal(record.state)) {
          settle(record && snapshotOf(record));
        }
      },
      closed: give,
    });
    const onAbort = (): void => give(signal?.reason);
    signal?.addEventListener("abort", onAbort, { once: true });
    // Another process may run the task: then only timers that do not keep this process wait for it.
    const alive = systemClock.setTimeout(() => undefined, Infinity, true);
    try {
      // Watched first, so that no end falls between.
      const task = await this.get(id, principal);
      return task === undefined || isFinal(task.state) ? task : await ended;
    } finally {
      ended.catch(() => undefined);
      systemClock.clearTimeout(alive);
      signal?.removeEventListener("abort", onAbort);
      watch.remove(id);
    }
  }

  async update(
    id: string,
    principal: string,
    answers: Readonly<Record<string, unknown>>,
  ): Promise<TaskSnapshot | undefined> {
    this.#requireOpen();
    const changed = await change(this.#setting, id, principal, (record) => this.#answer(record, answers));
    if (changed?.isChanged === true && changed.record.state === "working") {
      this.#runner.claim();
    }
    return changed && snapshotOf(changed.record);
  }

  async cancel(
    id: string,
    principal: string,
    { graceMs = 0 }: CancelOptions = {},
  ): Promise<TaskSnapshot | undefined> {
    this.#requireOpen();
    const changed = await change(this.#setting, id, principal, ({ worker, cancelRequested, ttlMs }) => {
      if (graceMs > 0 && worker !== undefined) {
        return cancelRequested ? undefined : { patch: { cancelRequested: true } };
      }
      return { patch: cancellation(ttlMs) };
    });
    const run = this.#runner.find(id);
    if (changed !== undefined && changed.record.state === "cancelled") {
      run?.stop("lost", cancelled());
    } else if (changed?.record.cancelRequested === true) {
      run?.interrupt("cancelled", cancelled(), graceMs);
    }
    if (changed?.isChanged === true) {
      this.#upkeep.cancelBackend(changed.record);
    }
    return changed && snapshotOf(changed.record);
  }

  async list(principal: string, { cursor, limit = 50 }: ListTasksOptions = {}): Promise<TaskPage> {
    this.#requireOpen();
    if (!(Number.isInteger(limit) && limit >= 1 && limit <= 1000)) {
      throw new TypeError(`limit must be an integer from 1 to 1000; got ${String(limit)}.`);
    }
    const after = cursor === undefined ? undefined : positionOf(cursor);
    const records = principal === "" ? [] : await this.#setting.store.list(principal, after, limit + 1);
    const tasks = records.slice(0, limit).map(snapshotOf);
    const last = records[limit - 1];
    return records.length > limit && last !== undefined ? { tasks, nextCursor: cursorOf(last) } : { tasks };
  }

  async watch(
    ids: readonly string[],
    principal: string,
    listener: (task: TaskSnapshot) => void,
  ): Promise<TaskWatch> {
    await this.#open();
    const wanted = [...new Set(ids)];
    const watch = this.#watching.add(wanted, {
      principal,
      changed: (record) => record && listener(snapshotOf(record)),
    });
    const close = (): Promise<void> => {
      wanted.forEach((id) => watch.remove(id));
      return Promise.resolve();
    };
    const known: string[] = [];
    try {
      for (let start = 0; start < wanted.length; start += watchBatch) {
        const batch = wanted.slice(start, start + watchBatch);
        const records = await Promise.all(batch.map((id) => this.#setting.store.get(id, principal)));
        known.push(...batch.filter((id, index) => watch.began(id, records[index])));
      }
    } catch (error) {
      await close();
      throw error;
    }
    return { ids: known, close, [Symbol.asyncDispose]: close };
  }

  async resume({ definitions }: ResumeOptions): Promise<void> {
    definitions.forEach((definition) => this.define(definition));
    await this.#open();
    this.#runner.resume();
    this.#upkeep.now();
  }

  define(definition: TaskDefinition): void {
    this.#requireOpen();
    checkDefinition(definition);
    this.#runner.define(definition);
  }

  async complete(id: string, result: unknown): Promise<boolean> {
    this.#requireOpen();
    return changeExternal(this.#setting, id, ({ ttlMs }) => ({
      patch: completion(result, this.#setting, ttlMs),
    }));
  }

  async fail(id: string, error: TaskFailure): Promise<boolean> {
    this.#requireOpen();
    return changeExternal(this.#setting, id, ({ ttlMs }) => ({
      patch: failure(error, this.#setting, ttlMs),
    }));
  }

  async ask(id: string, questions: Readonly<Record<string, unknown>>): Promise<boolean> {
    this.#requireOpen();
    return changeExternal(this.#setting, id, (record) => asking(this.#setting, record, questions));
  }

  async status(id: string, message: string, progress?: unknown): Promise<boolean> {
    this.#requireOpen();
    const patch = statusPatch(this.#setting, message, progress);
    return changeExternal(this.#setting, id, () => ({ patch }));
  }

  async answers(id: string): Promise<Readonly<Record<string, unknown>>> {
    this.#requireOpen();
    const journal = await this.#setting.store.journal(id);
    const answers = journal.filter(({ kind }) => kind === "answer");
    return Object.fromEntries(answers.map(({ key, value }): [string, unknown] => [key, fromText(value)]));
  }

  close({ drainMs = 5000 }: CloseEngineOptions = {}): Promise<void> {
    this.#closing ??= this.#close(drainMs);
    return this.#closing;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #close(drainMs: number): Promise<void> {
    this.#upkeep.stop();
    this.#watching.close(closedEngine());
    await this.#runner.close(drainMs);
    try {
      await (await this.#opening)?.[Symbol.asyncDispose]();
    } catch (error) {
      if (!isTaskError(error, "CLOSED")) {
        this.#setting.onError(error);
      }
    }
    if (this.#ownsStore) {
      await this.#setting.store.close();
    }
  }

  /** Listens to the store, and starts what is done regularly. */
  async #open(): Promise<void> {
    this.#requireOpen();
    if (this.#opening === undefined) {
      const opening = this.#setting.store.watch((id, version) => {
        this.#watching.notify(id);
        this.#runner.find(id)?.check(version).catch(this.#setting.onError);
      });
      this.#opening = opening;
      opening.catch(() => {
        this.#opening = undefined;
      });
      this.#upkeep.start();
    }
    await this.#opening;
    this.#requireOpen();
  }

  #requireOpen(): void {
    if (this.#closing !== undefined) {
      throw closedEngine();
    }
  }

  #backendOf(record: TaskRecord | undefined): TaskDefinition["backend"] {
    return record?.external === true ? this.#runner.definition(record.name)?.backend : undefined;
  }

  /** Passes responses on to the back end, if there is one, before they are stored. */
  async #answer(record: TaskRecord, answers: Readonly<Record<string, unknown>>): Promise<Change | undefined> {
    const decided = await answering(this.#setting, record, answers);
    const backend = this.#backendOf(record);
    if (decided !== undefined && backend?.update !== undefined) {
      const given = Object.fromEntries(decided.append.map(({ key }) => [key, answers[key]]));
      await this.#backends.call(record, (task) => backend.update?.(task, given));
    }
    return decided;
  }
}

function closedEngine(): TaskError {
  return new TaskError("CLOSED", "Task engine is closed.");
}
