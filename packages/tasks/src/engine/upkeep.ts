import { TaskError } from "../error.ts";
import { isFinal, type TaskRecord } from "../store/record.ts";
import type { Backends } from "./backends.ts";
import { change } from "./change.ts";
import { failure, internal } from "./outcome.ts";
import type { Runner } from "./runner.ts";
import type { Setting } from "./setting.ts";
import type { Watching } from "./watching.ts";

/** Maximum number of tasks of one sweep. */
const sweepLimit = 1000;

/** Regular work of an engine, with one timer for all its tasks. */
export class Upkeep {
  readonly #setting: Setting;
  readonly #runner: Runner;
  readonly #watching: Watching;
  readonly #backends: Backends;
  #timer: unknown;
  #lastRenewal = 0;
  #isSweeping = false;
  #isReading = false;
  #isStopped = false;

  /** Does nothing until `start`. */
  constructor(setting: Setting, runner: Runner, watching: Watching, backends: Backends) {
    this.#setting = setting;
    this.#runner = runner;
    this.#watching = watching;
    this.#backends = backends;
  }

  /** Starts the timer. Further calls have no effect. */
  start(): void {
    if (this.#timer === undefined) {
      this.#lastRenewal = this.#setting.clock.now();
      this.#wait();
    }
  }

  /** Stops the timer. */
  stop(): void {
    this.#isStopped = true;
    this.#setting.clock.clearTimeout(this.#timer);
  }

  /** Does what is due, each kind in the background. */
  now(): void {
    const { clock, limits, onError } = this.#setting;
    if (clock.now() - this.#lastRenewal >= limits.leaseMs / 3) {
      this.#lastRenewal = clock.now();
      this.#runner.renew();
    }
    this.#runner.claim();
    if (!this.#isSweeping) {
      this.#isSweeping = true;
      this.#sweep()
        .catch(onError)
        .finally(() => {
          this.#isSweeping = false;
        });
    }
    if (!this.#isReading) {
      this.#isReading = true;
      this.#read()
        .catch(onError)
        .finally(() => {
          this.#isReading = false;
        });
    }
  }

  /** Cancels the job of a task that was cancelled or has expired. */
  cancelBackend(record: TaskRecord): void {
    const cancel = record.external ? this.#runner.definition(record.name)?.backend?.cancel : undefined;
    if (cancel !== undefined) {
      this.#backends.call(record, (task) => cancel(task)).catch(this.#setting.onError);
    }
  }

  #wait(): void {
    const { clock, limits } = this.#setting;
    // Two renewals may be missed before a lease ends.
    const ms = Math.min(limits.sweepIntervalMs, limits.leaseMs / 3);
    const next = (): void => {
      if (!this.#isStopped) {
        this.#wait();
        this.now();
      }
    };
    this.#timer = clock.setTimeout(next, ms, false);
  }

  async #sweep(): Promise<void> {
    while (!this.#isStopped) {
      const { deleted, overdue } = await this.#setting.store.sweep(sweepLimit);
      let expired = 0;
      for (const record of overdue) {
        expired += (await this.#expire(record)) ? 1 : 0;
      }
      // Tasks that cannot be changed must not be tried without a pause.
      if (deleted + overdue.length < sweepLimit || deleted + expired === 0) {
        return;
      }
    }
  }

  /** @param overdue - As it was swept. @returns Whether the task was ended. */
  async #expire(overdue: TaskRecord): Promise<boolean> {
    const changed = await change(this.#setting, overdue.id, undefined, ({ expiresAt, ttlMs }) =>
      expiresAt === overdue.expiresAt
        ? { patch: failure(internal("The task expired"), this.#setting, ttlMs) }
        : undefined,
    );
    if (changed?.isChanged === true) {
      const reason = new TaskError("TASK_EXPIRED", "The task reached the end of its lifetime.");
      this.#runner.find(overdue.id)?.stop("lost", reason);
      this.cancelBackend(changed.record);
    }
    return changed?.isChanged === true;
  }

  /** Reads watched tasks, of which notices may have been lost, and their back ends. */
  async #read(): Promise<void> {
    for (const id of this.#watching.ids()) {
      const record = await this.#setting.store.get(id, undefined);
      this.#watching.read(id, record);
      const backend = record?.external === true ? this.#runner.definition(record.name)?.backend : undefined;
      if (record !== undefined && backend !== undefined && !isFinal(record.state) && !this.#isStopped) {
        void this.#backends.refresh(record, backend);
      }
    }
  }
}
