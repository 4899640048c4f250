import { inTime } from "@tenon/base";

import { isTaskError, TaskError } from "../error.ts";
import type { JournalEntry, TaskPatch, TaskRecord } from "../store/record.ts";
import { contextOf } from "./context.ts";
import type { TaskDefinition } from "./definition.ts";
import { Functions } from "./functions.ts";
import {
  cancellation,
  completion,
  failure,
  failureOfRun,
  internal,
  withoutRoom,
  type FinalPatch,
} from "./outcome.ts";
import { TaskRun, type RunEnd } from "./run.ts";
import type { Setting } from "./setting.ts";
import { Slots } from "./slots.ts";

/** Delays before an outcome is written again after the store has failed, in milliseconds. */
const retryMs: readonly number[] = [50, 200, 1000, 5000];

/** The end of a run that did not begin. */
const released: Promise<RunEnd> = Promise.resolve({ kind: "released" });

/** Runs tasks: claims them, renews their leases, and writes how they end. */
export class Runner {
  readonly #setting: Setting;
  readonly #slots: Slots;
  readonly #functions: Functions;
  readonly #definitions = new Map<string, TaskDefinition>();
  readonly #runs = new Map<string, TaskRun>();
  /** Functions that have not ended, including functions of runs that have ended. */
  readonly #settling = new Set<Promise<void>>();
  /** Outcomes that are being written. */
  readonly #concluding = new Set<Promise<void>>();
  #isResumed = false;
  #isClosed = false;
  #claiming: Promise<void> | undefined;
  #claimsAgain = false;

  /** A runner without definitions. */
  constructor(setting: Setting) {
    this.#setting = setting;
    this.#slots = new Slots(setting.limits);
    this.#functions = new Functions(setting);
  }

  /** Adds or replaces a definition. */
  define(definition: TaskDefinition): void {
    this.#definitions.set(definition.name, definition);
  }

  /** The definition of a task, if it is known. */
  definition(name: string): TaskDefinition | undefined {
    return this.#definitions.get(name);
  }

  /** From now on, tasks without a definition are claimed too. They fail. */
  resume(): void {
    this.#isResumed = true;
  }

  /** The run of a task in this engine. */
  find(id: string): TaskRun | undefined {
    return this.#runs.get(id);
  }

  /** Reserves a slot for a task that will be created with a lease. */
  reserve(principal: string): boolean {
    return !this.#isClosed && this.#slots.take(principal);
  }

  /** Returns a slot, and claims a task for it. */
  free(principal: string): void {
    this.#slots.release(principal);
    this.claim();
  }

  /** Claims tasks while there are free slots, in the background. */
  claim(): void {
    const hasWork = this.#isResumed || this.#definitions.size > 0;
    if (this.#isClosed || !this.#slots.isFree || !hasWork) {
      return;
    }
    if (this.#claiming !== undefined) {
      this.#claimsAgain = true;
      return;
    }
    this.#claiming = this.#claimAll()
      .catch(this.#setting.onError)
      .finally(() => {
        this.#claiming = undefined;
        if (this.#claimsAgain) {
          this.#claimsAgain = false;
          this.claim();
        }
      });
  }

  /**
   * Runs a leased task, for which a slot was reserved. A runner that was closed in the meantime
   * gives it back.
   */
  begin(record: TaskRecord, journal: readonly JournalEntry[]): void {
    const run = new TaskRun(this.#setting, record, journal);
    this.#runs.get(record.id)?.stop("lost", new TaskError("LEASE_LOST", "The lease of the task ended."));
    this.#runs.set(record.id, run);
    const obstacle = this.#obstacle(record);
    const definition = this.#definitions.get(record.name);
    const { end, settled } = this.#isClosed
      ? { end: released, settled: undefined }
      : obstacle === undefined
        ? run.execute(() => definition?.run?.(contextOf(run)))
        : { end: obstacle, settled: undefined };
    const concluded = this.#conclude(run, end).catch(this.#setting.onError);
    this.#concluding.add(concluded);
    const whole = concluded
      .then(() => (settled === undefined || run.isSettled ? undefined : this.#functions.ended(run, settled)))
      .then(() => {
        this.#settling.delete(whole);
        this.free(record.principal);
      });
    this.#settling.add(whole);
    void concluded.then(() => this.#concluding.delete(concluded));
  }

  /** Renews the leases of all runs. */
  renew(): void {
    const { store, limits, onError } = this.#setting;
    for (const run of this.#runs.values()) {
      store
        .renew(run.id, run.fence, limits.leaseMs)
        // Another process may have asked to cancel the task, and its notice may have been lost.
        .then(() => run.check(Infinity))
        .catch(onError);
    }
  }

  /** Aborts all runs and waits for their functions, at most `drainMs`. */
  async close(drainMs: number): Promise<void> {
    this.#isClosed = true;
    const reason = new TaskError("CLOSED", "Task engine is closing.");
    for (const run of this.#runs.values()) {
      run.interrupt("released", reason, drainMs);
    }
    if (drainMs > 0) {
      const ended = Promise.all([this.#claiming, ...this.#settling]);
      await inTime<unknown>(ended, drainMs, { expired: () => undefined, clock: this.#setting.clock });
    }
    // Runs that have not ended by now are stopped, and their tasks released.
    for (const run of this.#runs.values()) {
      run.stop("released", reason);
    }
    // A task that is being claimed is given back.
    await this.#claiming;
    await Promise.all(this.#concluding);
  }

  async #claimAll(): Promise<void> {
    const { store, worker, limits, onError } = this.#setting;
    while (!this.#isClosed && this.#slots.isFree) {
      const names = this.#isResumed ? undefined : [...this.#definitions.keys()];
      const except = this.#slots.busy();
      const [record] = await store.claim({ worker, leaseMs: limits.leaseMs, limit: 1, names, except });
      if (record === undefined) {
        return;
      }
      if (this.#isClosed || !this.#slots.take(record.principal)) {
        await this.#release(record);
        continue;
      }
      try {
        this.begin(record, await store.journal(record.id));
      } catch (error) {
        onError(error);
        this.#slots.release(record.principal);
        await this.#release(record);
        return;
      }
    }
  }

  /** Why a task must not run, as the patch that ends it. */
  #obstacle({
    name,
    definitionVersion,
    attempt,
    maxAttempts,
    cancelRequested,
    ttlMs,
  }: TaskRecord): FinalPatch | undefined {
    const fail = (message: string): FinalPatch => failure(internal(message), this.#setting, ttlMs);
    const definition = this.#definitions.get(name);
    if (cancelRequested) {
      return cancellation(ttlMs);
    }
    if (definition?.run === undefined) {
      return fail(`The task was interrupted, and nothing named ${JSON.stringify(name)} can continue it`);
    }
    if (definition.version !== definitionVersion) {
      return fail(
        `The task was interrupted, and ${JSON.stringify(name)} has changed since: it was version ${JSON.stringify(definitionVersion)}, now it is ${JSON.stringify(definition.version)}`,
      );
    }
    return attempt > maxAttempts
      ? fail(`The task was interrupted: each of ${maxAttempts} runs was cut off by the end of its process`)
      : undefined;
  }

  async #conclude(run: TaskRun, ending: Promise<RunEnd> | FinalPatch): Promise<void> {
    try {
      const patch = "outcome" in ending ? ending : this.#patchFor(run, await ending);
      const status = run.takeStatus();
      if (patch !== undefined) {
        await this.#write(run, { ...status, ...patch });
      }
    } catch (error) {
      if (!isTaskError(error, "STORE_FULL")) {
        throw error;
      }
      await this.#write(run, withoutRoom(this.#setting, run.record.ttlMs));
    } finally {
      run.takeStatus();
      if (this.#runs.get(run.id) === run) {
        this.#runs.delete(run.id);
      }
    }
  }

  /** The patch that ends the run; `undefined` if the lease is lost. */
  #patchFor(run: TaskRun, end: RunEnd): TaskPatch | undefined {
    const { ttlMs, cancelRequested, attempt } = run.record;
    switch (end.kind) {
      case "returned":
        return completion(end.value, this.#setting, ttlMs);
      case "threw":
        return failureOfRun(end.error, this.#setting, ttlMs);
      case "cancelled":
        return cancellation(ttlMs);
      case "parked":
        return cancelRequested
          ? cancellation(ttlMs)
          : { state: "input_required", questions: end.questions, attempt: 0 };
      case "released":
        return { release: true, attempt: attempt - 1 };
      case "lost":
        return undefined;
    }
  }

  /**
   * Writes how a run ended. If it cannot, the lease ends and another worker runs the task again.
   */
  async #write(run: TaskRun, patch: TaskPatch): Promise<void> {
    const { clock } = this.#setting;
    for (const delayMs of [...retryMs, undefined]) {
      try {
        await run.write(patch);
        return;
      } catch (error) {
        if (delayMs === undefined || isTaskError(error, "CLOSED") || isTaskError(error, "STORE_FULL")) {
          throw error;
        }
      }
      await new Promise<void>((resolve) => {
        clock.setTimeout(resolve, delayMs, true);
      });
    }
  }

  async #release({ id, version, fence, attempt }: TaskRecord): Promise<void> {
    await this.#setting.store.update(id, { release: true, attempt: attempt - 1 }, { version, fence });
  }
}
